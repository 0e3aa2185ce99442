//===- Attempt.cpp - a compiler for one text ------------------------------===//

#include "Attempt.h"

using namespace hocket;
using namespace hocket::random;

Attempt random::attempt(const std::string &text, bool place,
                        codegen::KernelCache *cache) {
  Attempt made;
  made.stream = std::make_unique<llvm::raw_string_ostream>(*made.printed);
  frontend::ElaborateOptions options;
  if (text.find("schedule s for") != std::string::npos)
    options.schedule = "s";
  made.compiler = std::make_unique<Compiler>(*made.stream, cache);
  made.isLoaded =
      made.compiler->loadTexts(kFileName, {{kFileName, text}}, options);
  made.isPlaced = place && made.isLoaded && made.compiler->runTo("placed");
  return made;
}
