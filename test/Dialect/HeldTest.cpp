//===- HeldTest.cpp - what HeldAttr refuses that no text can say ----------===//

#include "NnProgram.h"
#include "dialects/Nn/Nn.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket::nn;

/// Text lists intervals; a pass can make any.
TEST(Held, asManyEndsAsBegins) {
  MLIRContext context;
  context.loadDialect<NnDialect>();
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said = diagnostic.str();
    return success();
  });
  auto emit = [&] { return emitError(UnknownLoc::get(&context)); };
  EXPECT_TRUE(failed(HeldAttr::verify(emit, /*dim=*/0, /*factor=*/0,
                                      /*begins=*/{0, 3}, /*ends=*/{5},
                                      /*terms=*/false, /*rows=*/{})));
  EXPECT_EQ(said, "what 2 members hold begins, and that of 1 ends");
}
