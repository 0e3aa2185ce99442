//===- Programs.h - running what came of a mutation -------------*- C++ -*-===//

#ifndef HOCKET_TEST_MUTATE_PROGRAMS_H
#define HOCKET_TEST_MUTATE_PROGRAMS_H

#include "tools/hocket/Options.h"

namespace hocket::mutate {

/// Compiles the program, as the options say, says what it is, and runs it in
/// this process on numbers that are drawn; one that trains is not run. The exit
/// status.
int runProgram(const tool::Options &options);

} // namespace hocket::mutate

#endif // HOCKET_TEST_MUTATE_PROGRAMS_H
