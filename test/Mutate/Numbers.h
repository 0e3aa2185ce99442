//===- Numbers.h - what a program computes ----------------------*- C++ -*-===//

#ifndef HOCKET_TEST_MUTATE_NUMBERS_H
#define HOCKET_TEST_MUTATE_NUMBERS_H

#include <string>

namespace hocket::mutate {

enum class Numbers { Same, Other, TooLarge, None };

/// Whether two dumps of a stage compute the same of the same random weights and
/// inputs, within rounding, on ranks that are threads. None where one does not
/// compile or run, after printed errors; TooLarge, and nothing was run, where
/// the ranks would take more than half a GiB or too long.
Numbers compareNumbers(const std::string &stage, const std::string &dump,
                       const std::string &changed);

} // namespace hocket::mutate

#endif // HOCKET_TEST_MUTATE_NUMBERS_H
