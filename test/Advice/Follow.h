//===- Follow.h - doing what errors say ------------------------*- C++ -*-===//
//
// The first proposal of the first error that has one is applied to the text, as
// it is, until the schedule checks.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_ADVICE_FOLLOW_H
#define HOCKET_TEST_ADVICE_FOLLOW_H

#include "hocket/Pipeline/Compiler.h"

namespace hocket::advice {

struct Followed {
  bool checks = false;
  bool isError = false;     ///< there was an error at first
  bool hasProposal = true;  ///< each time
  bool alwaysParses = true; ///< what was proposed could be read
  unsigned steps = 0;
  syntax::Texts texts; ///< as they are in the end
  int64_t bytes = -1;  ///< received by each rank then, if it checks
  std::string log;     ///< errors and what was done
};

/// `path` is a name in `texts`, or of a file; what that imports is read too.
Followed follow(const std::string &path, syntax::Texts texts,
                const frontend::ElaborateOptions &options);

/// Bytes that each rank receives in the forward; -1 where it does not check.
int64_t receivedBytes(const std::string &path, const syntax::Texts &texts,
                      const frontend::ElaborateOptions &options);

} // namespace hocket::advice

#endif // HOCKET_TEST_ADVICE_FOLLOW_H
