//===- NotMet.h - what no case of a folder meets, and why -------*- C++ -*-===//
//
// A text with a line for each row of a rule, kind of instruction or operation
// that the cases do not meet: its name, a colon and the reason. All others must
// be met, so that the list says all that a target does not run.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RANDOM_NOTMET_H
#define HOCKET_TEST_RANDOM_NOTMET_H

#include "Coverage.h"

namespace hocket::random {

/// By name the reason. Empty lines and those that begin with '#' are left out.
std::map<std::string, std::string> readNotMet(const std::string &text);

/// A sentence for each thing that is neither met nor listed, and for each that
/// is listed and met, or is nothing that there is. `operations` are those that
/// no case had.
std::vector<std::string>
checkNotMet(const std::map<std::string, std::string> &listed,
            const Coverage &coverage, const std::set<std::string> &operations);

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_NOTMET_H
