//===- ParserFuzz.cpp - any bytes through the parser and the formatter ----===//
//
// Whatever the text: parsing ends without a crash and renders its errors; a
// text without errors formats to a text that has the same structure and is its
// own canonical form. Run by hand, with the examples as seeds:
//
//   ParserFuzz -max_total_time=120 CORPUS docs/examples
//
//===----------------------------------------------------------------------===//

#include "hocket/Frontend/Format.h"
#include "hocket/Frontend/Parser.h"
#include "hocket/Frontend/Print.h"

#include <cstdio>
#include <cstdlib>

using namespace hocket::syntax;

static void fail(const char *what, const std::string &text) {
  std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
  std::abort();
}

/// Parses `text` and renders its errors; empty when there are none.
static std::string parse(const std::string &text, std::string &dump) {
  SourceManager sources;
  DiagnosticEngine engine(sources);
  FileId file = sources.addFile("fuzz.hkt", text);
  dump = dumpAst(parseFile(sources, file, engine));
  return engine.render();
}

static std::string format(const std::string &text) {
  SourceManager sources;
  DiagnosticEngine engine(sources);
  FileId file = sources.addFile("fuzz.hkt", text);
  auto formatted = formatFile(sources, file, engine);
  if (!formatted)
    fail("the formatter refuses", text);
  return *formatted;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  // Most bytes should meet the parser, not the check of the header.
  if (size % 2)
    text = "hocket 1\n" + text;
  std::string dump, again;
  if (!parse(text, dump).empty())
    return 0;
  std::string formatted = format(text);
  std::string errors = parse(formatted, again);
  if (!errors.empty())
    fail("the formatted text has errors", formatted + "\n" + errors);
  if (dump != again)
    fail("the formatted text means something else", formatted);
  if (format(formatted) != formatted)
    fail("formatting twice changes the text", formatted);
  return 0;
}
