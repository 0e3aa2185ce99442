//===- ParsedModule.h - modules from text for the partition ----*- C++ -*-===//

#ifndef HOCKET_TEST_UNIT_PARTITION_PARSEDMODULE_H
#define HOCKET_TEST_UNIT_PARTITION_PARSEDMODULE_H

#include "dialects/Spmd/Func.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <string>

namespace hocket {

/// A context with the dialects of the placed and spmd stages that keeps the
/// messages of the errors that it is given.
class PartitionTest : public ::testing::Test {
protected:
  PartitionTest()
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          messages += diagnostic.str() + "\n";
          return mlir::success();
        }) {
    context.loadDialect<nn::NnDialect, spmd::SpmdDialect>();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << messages;
    return module;
  }
  nn::MeshAttr mesh(llvm::StringRef text) {
    return mlir::cast<nn::MeshAttr>(mlir::parseAttribute(text, &context));
  }
  mlir::StringAttr axis(llvm::StringRef name) {
    return mlir::StringAttr::get(&context, name);
  }

  mlir::MLIRContext context;
  std::string messages;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace hocket

#endif // HOCKET_TEST_UNIT_PARTITION_PARSEDMODULE_H
