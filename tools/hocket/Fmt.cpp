//===- Fmt.cpp - hocket fmt -----------------------------------------------===//

#include "Options.h"
#include "Terminal.h"
#include "hocket/Frontend/Format.h"
#include "hocket/Frontend/Loader.h"
#include "llvm/Support/raw_ostream.h"
#include <iostream>

using namespace hocket;
using namespace hocket::tool;

/// The sync lines that stand for what `auto reshard` inserted.
static int printResolved(const Options &options) {
  Compiler compiler(errors());
  if (!compiler.load(options.source) || !compiler.runTo("placed"))
    return kUserError;
  for (const placement::InsertedSync &sync : compiler.placement().inserted) {
    if (sync.line.empty())
      std::cout << "# at '" << sync.path
                << "': this value has no path of its own\n";
    else
      std::cout << sync.line << "\n";
  }
  return kOk;
}

int tool::runFmt(const Options &options) {
  if (options.resolve)
    return printResolved(options);
  std::string why;
  auto text = options.source.text;
  if (text && options.write) {
    std::cerr << "hocket fmt: error: --write formats a file in place, and "
                 "standard input is none\n";
    return kUsage;
  }
  if (!text)
    text = syntax::readFromDisk(options.source.path, why);
  if (!text) {
    std::cerr << "error: cannot read '" << options.source.path << "': " << why
              << "\n";
    return kUserError;
  }
  syntax::SourceManager sources;
  syntax::DiagnosticEngine diagnostics(sources);
  syntax::FileId file = sources.addFile(options.source.path, *text);
  auto formatted = syntax::formatFile(sources, file, diagnostics);
  std::cerr << diagnostics.render();
  if (!formatted)
    return kUserError;
  if (options.check) {
    if (*formatted != *text)
      std::cerr << options.source.path << " is not formatted\n";
    return *formatted == *text ? kOk : kUserError;
  }
  if (!options.write) {
    std::cout << *formatted;
    return kOk;
  }
  if (*formatted == *text)
    return kOk;
  return writeText(options.source.path, *formatted);
}
