//===- Follow.cpp - doing what errors say ---------------------------------===//

#include "Follow.h"
#include "llvm/Support/raw_ostream.h"

using namespace hocket;
using namespace hocket::advice;

static constexpr unsigned kMostSteps = 8;

static const syntax::Proposal *firstOf(const std::vector<ReportedError> &list) {
  for (const ReportedError &error : list)
    if (!error.proposals.empty())
      return &error.proposals.front();
  return nullptr;
}

int64_t advice::receivedBytes(const std::string &path,
                              const syntax::Texts &texts,
                              const frontend::ElaborateOptions &options) {
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  Compiler compiler(stream);
  if (!compiler.loadTexts(path, texts, options))
    return -1;
  placement::Outcome outcome = placement::judge(compiler.module());
  return outcome.findings.empty() && outcome.cost ? outcome.cost->bytes : -1;
}

Followed advice::follow(const std::string &path, syntax::Texts texts,
                        const frontend::ElaborateOptions &options) {
  Followed result;
  size_t unread = SIZE_MAX; // lines
  for (;; ++result.steps) {
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    Compiler compiler(stream);
    bool isLoaded = compiler.loadTexts(path, texts, options);
    if (isLoaded && compiler.runTo("placed")) {
      result.checks = true;
      break;
    }
    result.isError = true;
    result.log += printed;
    std::vector<ReportedError> errors = compiler.errors();
    // Other lines may still be unreadable.
    result.alwaysParses &= isLoaded || errors.size() < unread;
    unread = isLoaded ? 0 : errors.size();
    const syntax::Proposal *first = firstOf(errors);
    if (!first || result.steps == kMostSteps) {
      result.hasProposal = first != nullptr;
      break;
    }
    for (const std::string &line : first->lines)
      result.log += ">> " + line + "\n";
    texts = applyEdits(compiler.texts(), first->edits);
  }
  result.texts = texts;
  if (result.checks)
    result.bytes = receivedBytes(path, texts, options);
  return result;
}
