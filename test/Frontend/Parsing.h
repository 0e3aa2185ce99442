//===- Parsing.h - parse a text in a test ---------------------------------===//

#ifndef HOCKET_TEST_UNIT_FRONTEND_PARSING_H
#define HOCKET_TEST_UNIT_FRONTEND_PARSING_H

#include "hocket/Frontend/Format.h"
#include "hocket/Frontend/Parser.h"
#include "hocket/Frontend/Print.h"

#include <gtest/gtest.h>

namespace hocket::syntax {

/// One text, called `t.hkt` in messages, with all that parsing it gives.
struct Parsed {
  explicit Parsed(std::string text) : engine(sources) {
    id = sources.addFile("t.hkt", std::move(text));
  }
  SourceManager sources;
  DiagnosticEngine engine;
  FileId id = 0;
};

/// The structure of a file without errors.
inline std::string dumpOf(const std::string &text) {
  Parsed parsed(text);
  File file = parseFile(parsed.sources, parsed.id, parsed.engine);
  EXPECT_EQ(parsed.engine.render(), "");
  return dumpAst(file);
}

/// The dump of the statements `lines` in a schedule.
inline std::string scheduleOf(const std::string &lines) {
  std::string dump = dumpOf("hocket 1\nschedule s for M {\n" + lines + "\n}\n");
  std::string head = "hocket 1\nschedule s () for M\n";
  EXPECT_EQ(dump.substr(0, head.size()), head);
  return dump.substr(head.size());
}

/// All errors of a file, as the user sees them.
inline std::string errorsOf(const std::string &text) {
  Parsed parsed(text);
  parseFile(parsed.sources, parsed.id, parsed.engine);
  return parsed.engine.render();
}

/// The errors of one schedule statement, indented by two, on line 3.
inline std::string scheduleErrorsOf(const std::string &line) {
  return errorsOf("hocket 1\nschedule s for M {\n  " + line + "\n}\n");
}

/// The errors of one item of a module, indented by two, on line 3.
inline std::string itemErrorsOf(const std::string &line) {
  return errorsOf("hocket 1\nmodule M() {\n  " + line + "\n}\n");
}

/// The errors of one statement of a function, indented by four, on line 4.
inline std::string stmtErrorsOf(const std::string &line) {
  return errorsOf("hocket 1\nmodule M() {\n  forward() {\n    " + line +
                  "\n  }\n}\n");
}

} // namespace hocket::syntax

#endif // HOCKET_TEST_UNIT_FRONTEND_PARSING_H
