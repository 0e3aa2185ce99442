//===- Attempt.h - compiling a text as far as its placement --- -*- C++ -*-===//

#ifndef HOCKET_TEST_RANDOM_ATTEMPT_H
#define HOCKET_TEST_RANDOM_ATTEMPT_H

#include "hocket/Pipeline/Compiler.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

namespace hocket::random {

/// A compiler at the model or placed stage, and what it printed.
struct Attempt {
  std::unique_ptr<std::string> printed = std::make_unique<std::string>();
  std::unique_ptr<llvm::raw_string_ostream> stream;
  std::unique_ptr<Compiler> compiler;
  bool isLoaded = false, isPlaced = false;
  const std::string &errors() const { return *printed; }
};

constexpr const char *kFileName = "case.hkt";

/// Of the schedule `s`, if the text has one. A model that trains drops.
frontend::ElaborateOptions optionsOf(const std::string &text, bool trains);

/// Loads the text of a case and, if asked, places it.
Attempt attempt(const std::string &text, bool place,
                codegen::KernelCache *cache = nullptr, bool trains = false);

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_ATTEMPT_H
