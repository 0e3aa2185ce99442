//===- FunctionTest.cpp - inputs, parameters and whole functions ----------===//

#include "ReferenceCase.h"
#include "gtest/gtest.h"

using namespace hocket::test;

static const char *const linear = R"(
  func.func @forward(%x: !1x2xf32 {nn.name = "x"}) -> !1x2xf32 {
    %unused = nn.parameter "unused" : !2xf32
    %w = nn.parameter "fc.weight" : !2x2xf32
    %b = nn.parameter "fc.bias" : !2xf32
    %y = nn.linear %x, %w, %b : (!1x2xf32, !2x2xf32, !2xf32) -> !1x2xf32
    %z = nn.linear %y, %w : (!1x2xf32, !2x2xf32) -> !1x2xf32
    return %z : !1x2xf32
  })";

static bool give(llvm::StringRef path, Tensor &tensor) {
  if (path == "fc.weight")
    tensor = {{2, 2}, {0, 1, 2, 0}};
  else if (path == "fc.bias")
    tensor = {{2}, {10, 20}};
  else
    return false;
  return true;
}

TEST(ReferenceFunction, Parameters) {
  std::vector<std::string> asked;
  Outcome outcome = evaluateText(linear, {{{1, 2}, {3, 5}}},
                                 [&](llvm::StringRef path, Tensor &tensor) {
                                   asked.push_back(path.str());
                                   return give(path, tensor);
                                 });
  // y = (5 + 10, 6 + 20), z = (26, 30)
  expectClose(outcome, {26, 30});
  EXPECT_EQ(asked, std::vector<std::string>({"fc.weight", "fc.bias"}));
}

TEST(ReferenceFunction, ParametersThatDoNotFit) {
  auto errorOf = [](hocket::reference::Parameters parameters) {
    return evaluateText(linear, {{{1, 2}, {3, 5}}}, parameters).error;
  };
  EXPECT_EQ(errorOf([](llvm::StringRef, Tensor &) { return false; }),
            "there is no parameter 'fc.weight', which the model takes as "
            "f32[2, 2]");
  EXPECT_EQ(errorOf([](llvm::StringRef, Tensor &tensor) {
              tensor = {{2, 3}, Values(6)};
              return true;
            }),
            "parameter 'fc.weight' has shape [2, 3], but the model takes "
            "f32[2, 2]");
  EXPECT_EQ(errorOf([](llvm::StringRef, Tensor &tensor) {
              tensor = {{2, 2}, Values(3)};
              return true;
            }),
            "parameter 'fc.weight' of shape [2, 2] has 3 elements instead of "
            "4");
}

TEST(ReferenceFunction, InputsThatDoNotFit) {
  EXPECT_EQ(evaluateText(linear, {}, give).error,
            "forward has 1 inputs, but got 0");
  EXPECT_EQ(evaluateText(linear, {{{2}, {3, 5}}}, give).error,
            "input 'x' has shape [2], but the model takes f32[1, 2]");
  EXPECT_EQ(
      evaluateOp("nn.cast %0", {"2xi32"}, "2xf32", {{{2}, {1, 0.5}}}).error,
      "input 0 has the element 0.50, but the model takes i32[2]");
}

// Placed IR: values and redistributions are the identity, whatever a type says
// of its placement.
TEST(ReferenceFunction, PlacedStage) {
  expectClose(evaluateText(R"(
    func.func @forward(%x: !2x2xf32) -> !2x2xf32 {
      %a = nn.value argument "fc.x" %x : (!2x2xf32) -> !2x2xf32
      %b = nn.unary neg %a : (!2x2xf32)
        -> tensor<2x2xf32, #nn.layout<[2] [2], tp: P(sum)>>
      %c = nn.redistribute all_reduce %b over ["tp"]
        : (tensor<2x2xf32, #nn.layout<[2] [2], tp: P(sum)>>) -> !2x2xf32
      return %c : !2x2xf32
    })",
                           {{{2, 2}, {1, 2, 3, 4}}}),
              {-1, -2, -3, -4});
}

TEST(ReferenceFunction, SeveralOutputsAndUses) {
  Outcome outcome = evaluateText(R"(
    func.func @forward(%x: !2xf32) -> (!2xf32, !2xf32, !2xf32) {
      %a = nn.binary mul %x, %x : (!2xf32, !2xf32) -> !2xf32
      %b = nn.binary add %a, %x : (!2xf32, !2xf32) -> !2xf32
      return %b, %x, %b : !2xf32, !2xf32, !2xf32
    })",
                                 {{{2}, {3, 4}}});
  ASSERT_EQ(outcome.outputs.size(), 3u);
  EXPECT_EQ(outcome.outputs[0].values, Values({12, 20}));
  EXPECT_EQ(outcome.outputs[1].values, Values({3, 4}));
  EXPECT_EQ(outcome.outputs[2].values, Values({12, 20}));
}

TEST(ReferenceFunction, ErrorsNameThePathInTheModel) {
  EXPECT_EQ(evaluateText(R"(
    func.func @forward(%t: !2x1xf32, %i: !1xi32) -> !1x1xf32 {
      %y = nn.embedding %t, %i : (!2x1xf32, !1xi32) -> !1x1xf32
        loc("h.0.wte"("model.hkt":3:5))
      return %y : !1x1xf32
    })",
                         {{{2, 1}, {0, 1}}, {{1}, {7}}})
                .error,
            "h.0.wte: id 7 (number 0 of 1) is outside of the table, which has "
            "2 rows: 0 to 1");
}

TEST(ReferenceFunction, OperationsWithoutSemantics) {
  EXPECT_EQ(evaluateText(R"(
    func.func private @other(!1xf32) -> !1xf32)"
                         "\n",
                         {})
                .error,
            "the reference evaluates functions of one block");
  EXPECT_EQ(evaluateText(R"(
    func.func @forward(%x: !1xf32) -> !1xf32 {
      %y = func.call @forward(%x) : (!1xf32) -> !1xf32
      return %y : !1xf32
    })",
                         {{{1}, {0}}})
                .error,
            "the reference has no semantics for func.call");
}
