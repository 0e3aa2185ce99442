//===- Fault.h - what a test has a program's calls do wrong ----*- C++ -*-===//
//
// HOCKET_INJECT lists faults, with semicolons between them:
//
//   cuEventRecord@1:3=drop
//
// is the third call of cuEventRecord that rank 1 makes (@-1: that the thread
// makes that began the process; without @1: that the process makes), and what
// is done to it:
//
//   drop                    it is not made, and returns success
//   repeat                  it is made twice
//   later                   it is made after the next call of its thread
//   N+V, N-V, N*V, N=V      its argument N, from 0, is another number; an
//                           address is one too
//   N=other                 its argument N is another of the values that calls
//                           had there, of the same type
//   word N+V, ...           of cuLaunchKernel: 32 bits of the kernel's
//                           parameters, from 0
//   word M.N+V, ...         32 bits of the struct, or of an attribute's value,
//                           that argument M points to
//   before F VALUE          F is called before it with one argument: a number,
//   after F VALUE           'argument N' of the call, or 'allocation N', the
//                           address that the N-th cuMemAlloc has given
//   unpinned                of cuMemcpyHtoDAsync: its source is pageable memory
//                           that changes when the call has returned
//   code FILE               of cuLibraryLoadData: the PTX of a file is loaded
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_INJECTOR_FAULT_H
#define HOCKET_TEST_GPU_INJECTOR_FAULT_H

#include <cstdint>
#include <string>
#include <vector>

namespace hocket::inject {

enum class Action {
  Drop,
  Repeat,
  Later,
  Number,
  Other,
  Word,
  Pointed,
  Before,
  After,
  Unpinned,
  Code
};

/// Where an inserted call's argument comes from.
enum class Source { Number, Argument, Allocation };

struct Fault {
  std::string text; ///< as it was written
  std::string function;
  static constexpr int ofProcess = -2; ///< any rank
  int rank = ofProcess;
  uint64_t call = 0; ///< 1 is the first
  Action action = Action::Drop;
  unsigned argument = 0, word = 0; ///< from 0
  char operation = '=';            ///< + - * =
  int64_t value = 0; ///< of Number and Word, and of an inserted call
  Source source = Source::Number;
  std::string name; ///< the function that is inserted, or a file

  /// The number with the operation done to it.
  uint64_t changed(uint64_t number) const;
};

/// `error` says what is wrong with the text; it is empty if nothing is.
std::vector<Fault> readFaults(const std::string &text, std::string &error);

} // namespace hocket::inject

#endif // HOCKET_TEST_GPU_INJECTOR_FAULT_H
