//===- Attempt.cpp - a compiler for one text ------------------------------===//

#include "Attempt.h"

using namespace hocket;
using namespace hocket::random;

frontend::ElaborateOptions random::optionsOf(const std::string &text,
                                             bool trains) {
  frontend::ElaborateOptions options;
  if (text.find("schedule s for") != std::string::npos)
    options.schedule = "s";
  options.training = trains;
  return options;
}

Attempt random::attempt(const std::string &text, bool place,
                        codegen::KernelCache *cache, bool trains) {
  Attempt made;
  made.stream = std::make_unique<llvm::raw_string_ostream>(*made.printed);
  made.compiler = std::make_unique<Compiler>(*made.stream, cache);
  made.compiler->skipAdvice(); // half of the time, and most lines are refused
  made.isLoaded = made.compiler->loadTexts(kFileName, {{kFileName, text}},
                                           optionsOf(text, trains));
  made.isPlaced = place && made.isLoaded && made.compiler->runTo("placed");
  return made;
}
