//===- MisuseTest.cpp - what the look-alike finds -------------------------===//

#include "test/Gpu/Libraries/Dnn/Sample.h"

using namespace hocket;
using namespace hocket::test;
using namespace hocket::runtime::cuda;

namespace {

/// Descriptors of a forward convolution [1, 2, 4, 4] by [3, 2, 3, 3], one of
/// which a test makes wrong.
class DnnMisuseTest : public DnnTest {
protected:
  std::unique_ptr<DnnObject> object(DnnDescriptorType type) {
    return std::make_unique<DnnObject>(library, type, "a test");
  }

  std::unique_ptr<DnnObject> tensor(int64_t id, std::vector<int64_t> extents,
                                    DnnType type = DnnF32,
                                    int64_t alignment = 16) {
    auto made = object(DnnTensorDescriptor);
    made->set(DnnTensorId, id);
    made->set(DnnTensorType, DnnTypeDataType, type);
    made->set(DnnTensorStrides, stridesOf(extents, {0, 1, 2, 3}));
    made->set(DnnTensorExtents, extents);
    made->set(DnnTensorAlignment, alignment);
    return made;
  }

  std::unique_ptr<DnnObject> windows() {
    auto made = object(DnnConvolutionDescriptor);
    made->set(DnnConvolutionCompute, DnnTypeDataType, DnnF32);
    made->set(DnnConvolutionMode, DnnTypeMode, DnnCrossCorrelation);
    made->set(DnnConvolutionDims, 2);
    for (DnnAttribute ones : {DnnConvolutionStrides, DnnConvolutionDilations})
      made->set(ones, std::vector<int64_t>{1, 1});
    for (DnnAttribute zeros : {DnnConvolutionLows, DnnConvolutionHighs})
      made->set(zeros, std::vector<int64_t>{0, 0});
    return made;
  }

  std::unique_ptr<DnnObject> operation(DnnObject &x, DnnObject &weight,
                                       DnnObject &y, DnnObject &windows,
                                       float alpha = 1) {
    auto made = object(DnnOperationForward);
    float beta = 0;
    made->set(DnnForwardAlpha, DnnTypeFloat, 1, &alpha);
    made->set(DnnForwardBeta, DnnTypeFloat, 1, &beta);
    made->set(DnnForwardConvolution, windows);
    made->set(DnnForwardX, x);
    made->set(DnnForwardWeight, weight);
    made->set(DnnForwardY, y);
    return made;
  }

  std::unique_ptr<DnnObject> graph(DnnObject &operation) {
    auto made = object(DnnOperationGraph);
    made->set(DnnGraphHandle, DnnTypeHandle, 1, &dnn->handle);
    made->set(DnnGraphOperations, operation);
    return made;
  }

  /// What is found when the tensors make a graph.
  std::string foundInGraph(DnnObject &x, DnnObject &weight, DnnObject &y) {
    auto w = windows();
    for (DnnObject *each : {&x, &weight, &y, w.get()})
      each->finish();
    auto made = operation(x, weight, y, *w);
    made->finish();
    auto all = graph(*made);
    all->finish();
    EXPECT_FALSE(all->status.ok());
    return takeFindings();
  }

  std::unique_ptr<DnnObject> x, weight, y;

  void SetUp() override {
    DnnTest::SetUp();
    x = tensor(1, {1, 2, 4, 4});
    weight = tensor(2, {3, 2, 3, 3});
    y = tensor(3, {1, 3, 2, 2});
  }
  void TearDown() override {
    x.reset();
    weight.reset();
    y.reset();
    DnnTest::TearDown();
  }
};

} // namespace

TEST_F(DnnMisuseTest, Attributes) {
  x->set(DnnTensorId, DnnTypeFloat, 1, &library);
  EXPECT_EQ(takeFindings(), "cudnnBackendSetAttribute: attribute 906 of a "
                            "tensor: its type is not 4\n");
  EXPECT_EQ(x->status.message,
            "cudnnBackendSetAttribute of cuDNN 9.19.0 failed for a test: "
            "CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE (attribute 906 of a tensor: "
            "its type is not 4)");
  weight->set(DnnTensorId, {1, 2});
  EXPECT_EQ(takeFindings(), "cudnnBackendSetAttribute: attribute 906 of a "
                            "tensor: it has 1 to 1 elements, not 2\n");
  y->set(DnnPackIds, 1);
  EXPECT_EQ(takeFindings(), "cudnnBackendSetAttribute: attribute 1000 of a "
                            "tensor: the look-alike has no such attribute\n");
  auto null = object(DnnTensorDescriptor);
  null->set(DnnTensorId, DnnTypeInt64, 1, nullptr);
  EXPECT_EQ(takeFindings(), "cudnnBackendSetAttribute: attribute 906 of a "
                            "tensor: the elements are null\n");
  auto late = tensor(4, {1, 1, 1, 1});
  late->finish();
  late->set(DnnTensorId, 5);
  EXPECT_EQ(takeFindings(), "cudnnBackendSetAttribute: attribute 906 of a "
                            "tensor: it is finalized\n");
}

TEST_F(DnnMisuseTest, Kinds) {
  object(DnnDeviceProperties);
  EXPECT_EQ(takeFindings(), "cudnnBackendCreateDescriptor: the look-alike has "
                            "no descriptors of kind 38\n");
  auto made = object(DnnOperationForward);
  made->set(DnnForwardX, *x);
  EXPECT_EQ(takeFindings(), "cudnnBackendSetAttribute: attribute 704 of an "
                            "operation: a tensor is not finalized\n");
  made = object(DnnOperationForward);
  made->set(DnnForwardConvolution, *x);
  EXPECT_EQ(takeFindings(),
            "cudnnBackendSetAttribute: attribute 702 of an operation: a tensor "
            "stands where a convolution is wanted\n");
  made = object(DnnOperationForward);
  DnnDescriptor none = this;
  made->set(DnnForwardX, DnnTypeDescriptor, 1, &none);
  EXPECT_EQ(takeFindings(), "cudnnBackendSetAttribute: attribute 704 of an "
                            "operation: there is no such descriptor\n");
  made = object(DnnEngine);
  made->finish();
  EXPECT_EQ(takeFindings(), "cudnnBackendFinalize: an engine: the look-alike "
                            "has it only from heuristics\n");
}

TEST_F(DnnMisuseTest, Reading) {
  int64_t number = 0;
  x->get(DnnTensorId, DnnTypeInt64, 1, &number);
  EXPECT_EQ(takeFindings(),
            "cudnnBackendGetAttribute: a tensor is not finalized\n");
  y->finish();
  y->get(DnnTensorId, DnnTypeInt64, 1, &number);
  EXPECT_EQ(takeFindings(),
            "cudnnBackendGetAttribute: attribute 906 of a tensor: the "
            "look-alike has no such attribute to be read\n");
}

TEST_F(DnnMisuseTest, Lifetimes) {
  const DnnFunctions &functions = library.functions;
  EXPECT_EQ(functions.finalize(this), DnnBadParam);
  EXPECT_EQ(functions.descriptorDestroy(this), DnnBadParam);
  EXPECT_EQ(functions.destroy(nullptr), DnnBadParam);
  x->finish();
  x->finish();
  EXPECT_EQ(takeFindings(),
            "cudnnBackendFinalize: there is no such descriptor\n"
            "cudnnBackendDestroyDescriptor: there is no such descriptor\n"
            "cudnnDestroy: there is no such handle\n"
            "cudnnBackendFinalize: a tensor is finalized twice\n");
  EXPECT_STREQ(reinterpret_cast<const char *(*)()>(find("hocketDnnLeft"))(),
               "never destroyed: 1 handles, 3 descriptors");
}

TEST_F(DnnMisuseTest, WhatIsUsedIsDestroyed) {
  auto w = windows();
  for (DnnObject *each : {x.get(), weight.get(), y.get(), w.get()})
    each->finish();
  auto made = operation(*x, *weight, *y, *w);
  made->finish();
  auto all = graph(*made);
  weight.reset();
  all->finish();
  EXPECT_EQ(takeFindings(), "cudnnBackendFinalize: a graph: a descriptor of "
                            "its attribute 703 is destroyed\n");
}

TEST_F(DnnMisuseTest, Missing) {
  auto made = object(DnnTensorDescriptor);
  made->set(DnnTensorId, 1);
  made->finish();
  EXPECT_EQ(takeFindings(),
            "cudnnBackendFinalize: a tensor: its attribute 900 is not set\n");
  auto none = object(DnnPlan);
  none->set(DnnPlanHandle, DnnTypeHandle, 1, &dnn->handle);
  none->finish();
  EXPECT_EQ(takeFindings(), "cudnnBackendFinalize: a plan: it has either a "
                            "configuration or a text\n");
}

TEST_F(DnnMisuseTest, Tensors) {
  auto found = [&](std::unique_ptr<DnnObject> made) {
    made->finish();
    return takeFindings();
  };
  EXPECT_EQ(found(tensor(1, {1, 2, 4, 4}, DnnF32, 2)),
            "cudnnBackendFinalize: a tensor: its alignment is 2 bytes\n");
  EXPECT_EQ(found(tensor(1, {1, 2, 0, 4})),
            "cudnnBackendFinalize: a tensor: extents and strides are at least "
            "1\n");
  EXPECT_EQ(found(tensor(1, {1, 2, 4, 4}, DnnType(3))),
            "cudnnBackendFinalize: a tensor: the look-alike has no elements of "
            "this type\n");
  auto line = tensor(1, {1, 2, 4, 4});
  line->set(DnnTensorExtents, {1, 2, 4});
  EXPECT_EQ(found(std::move(line)), "cudnnBackendFinalize: a tensor: it has 4 "
                                    "or 5 extents and as many strides\n");
}

TEST_F(DnnMisuseTest, Windows) {
  auto made = windows();
  made->set(DnnConvolutionLows, {0, -1});
  made->finish();
  EXPECT_EQ(takeFindings(), "cudnnBackendFinalize: a convolution: attribute "
                            "105 is less than 0\n");
  made = windows();
  made->set(DnnConvolutionStrides, {1, 1, 1});
  made->finish();
  EXPECT_EQ(takeFindings(), "cudnnBackendFinalize: a convolution: attribute "
                            "103 has not 2 elements\n");
  made = windows();
  made->finish();
  for (DnnObject *each : {x.get(), weight.get(), y.get()})
    each->finish();
  auto twice = operation(*x, *weight, *y, *made, 2);
  twice->finish();
  EXPECT_EQ(takeFindings(), "cudnnBackendFinalize: an operation: the "
                            "look-alike has only alpha 1 and beta 0\n");
}

TEST_F(DnnMisuseTest, Graphs) {
  const std::string graph = "cudnnBackendFinalize: a graph: ";
  EXPECT_EQ(foundInGraph(*x, *weight, *tensor(3, {1, 3, 2, 3})),
            graph + "y has not the extents that windows over x have\n");
  x = tensor(1, {1, 2, 4, 4});
  weight = tensor(2, {3, 2, 3, 3});
  EXPECT_EQ(foundInGraph(*x, *weight, *tensor(1, {1, 3, 2, 2})),
            graph + "two tensors have the name 1\n");
  x = tensor(1, {1, 2, 4, 4});
  weight = tensor(2, {3, 2, 3, 3});
  EXPECT_EQ(foundInGraph(*x, *weight, *tensor(3, {1, 3, 2, 2}, DnnBF16)),
            graph + "the tensors have several types\n");
  x = tensor(1, {1, 2, 4, 4});
  weight = tensor(2, {3, 2, 3, 3});
  weight->set(DnnTensorStrides, {36, 18, 6, 2});
  EXPECT_EQ(foundInGraph(*x, *weight, *y), graph + "the weight has gaps\n");
  x = tensor(1, {1, 3, 4, 4});
  weight = tensor(2, {3, 2, 3, 3});
  y = tensor(3, {1, 3, 2, 2});
  EXPECT_EQ(foundInGraph(*x, *weight, *y),
            graph + "the channels are not those of groups\n");
}

/// A plan and its variant pack.
class DnnExecuteTest : public DnnMisuseTest {
protected:
  void SetUp() override {
    DnnMisuseTest::SetUp();
    ConvolutionArguments arguments = given.arguments();
    for (const Operand *operand :
         {&arguments.x, &arguments.weight, &arguments.y})
      addresses.push_back(operand->data);
    graph = std::make_unique<ConvolutionGraph>(*dnn, "a test");
    ASSERT_TRUE(graph->make(formOf(arguments), {}).ok());
    ASSERT_TRUE(graph->choose(1 << 20, text).ok());
    plan = planOf(*dnn);
  }
  void TearDown() override {
    plan.reset();
    graph.reset();
    DnnMisuseTest::TearDown();
  }

  std::unique_ptr<DnnObject> planOf(const Dnn &on) {
    auto made = object(DnnPlan);
    made->set(DnnPlanHandle, DnnTypeHandle, 1, &on.handle);
    made->set(DnnPlanText, DnnTypeChar, int64_t(text.size()), text.data());
    made->finish();
    EXPECT_TRUE(made->status.ok()) << made->status.message;
    return made;
  }

  /// What is found when the plan runs on these addresses.
  std::string found(const std::vector<int64_t> &names,
                    std::vector<void *> addresses, void *workspace = nullptr) {
    auto pack = object(DnnVariantPack);
    pack->set(DnnPackIds, names);
    pack->set(DnnPackPointers, DnnTypePointer, int64_t(addresses.size()),
              addresses.data());
    pack->set(DnnPackWorkspace, DnnTypePointer, 1, &workspace);
    pack->finish();
    library.functions.execute(dnn->handle, plan->descriptor, pack->descriptor);
    return takeFindings();
  }

  Sample given = sample(ConvolutionPass::Forward,
                        test::windows({1, 2, 4, 4}, {3, 2, 3, 3}));
  std::vector<void *> addresses;
  std::unique_ptr<ConvolutionGraph> graph;
  std::string text;
  std::unique_ptr<DnnObject> plan;
};

static char *moved(void *address, int64_t bytes) {
  return static_cast<char *>(address) + bytes;
}

TEST_F(DnnExecuteTest, Addresses) {
  const std::string execute = "cudnnBackendExecute: ";
  const std::vector<int64_t> names = {DnnX, DnnWeight, DnnY};
  EXPECT_EQ(found(names, addresses), "");
  EXPECT_EQ(found({DnnX, DnnY}, {addresses[0], addresses[2]}),
            execute + "tensor 2 has no address\n");
  EXPECT_EQ(found(names, {addresses[0], nullptr, addresses[2]}),
            execute + "the address of tensor 2 is null\n");
  EXPECT_EQ(found(names, {moved(addresses[0], 4), addresses[1], addresses[2]}),
            execute + "tensor 1 is not aligned to 16 bytes\n");
  EXPECT_EQ(found({DnnX, DnnWeight, DnnY, 9},
                  {addresses[0], addresses[1], addresses[2], addresses[2]}),
            execute +
                "the variant pack has tensors that are not of the plan\n");
  EXPECT_EQ(found(names, {addresses[0], addresses[1], moved(addresses[0], 32)}),
            execute + "tensor 1 and the result overlap\n");
  EXPECT_EQ(found({DnnX, DnnX, DnnY}, addresses),
            "cudnnBackendFinalize: a variant pack: a tensor has two "
            "addresses\n" +
                execute + "the plan or the variant pack is not finalized\n");
  EXPECT_EQ(found(names, {addresses[0], addresses[1]}),
            "cudnnBackendFinalize: a variant pack: there are not as many "
            "addresses as tensors\n" +
                execute + "the plan or the variant pack is not finalized\n");
}

TEST_F(DnnExecuteTest, Workspaces) {
  // The best engine of this device wants one.
  std::unique_ptr<Dnn> other = openOn(1);
  dnn.swap(other);
  graph = std::make_unique<ConvolutionGraph>(*dnn, "a test");
  ASSERT_TRUE(graph->make(formOf(given.arguments()), {}).ok());
  ASSERT_TRUE(graph->choose(1 << 20, text).ok());
  plan = planOf(*dnn);
  const std::vector<int64_t> names = {DnnX, DnnWeight, DnnY};
  EXPECT_EQ(found(names, addresses),
            "cudnnBackendExecute: the plan wants a workspace of 96 bytes, and "
            "there is none\n");
  EXPECT_EQ(found(names, addresses, moved(addresses[2], 64)),
            "cudnnBackendExecute: the workspace is not aligned to 256 bytes\n");
  EXPECT_EQ(found(names, addresses, addresses[0]),
            "cudnnBackendExecute: tensor 1 and the workspace overlap\n");
  plan.reset();
  graph.reset();
}

TEST_F(DnnExecuteTest, Handles) {
  std::unique_ptr<Dnn> other = openOn(0);
  plan = planOf(*other);
  EXPECT_EQ(found({DnnX, DnnWeight, DnnY}, addresses),
            "cudnnBackendExecute: the plan is of another handle\n");
  EXPECT_EQ(library.functions.execute(dnn->handle, plan->descriptor,
                                      plan->descriptor),
            DnnBadParam);
  EXPECT_EQ(takeFindings(),
            "cudnnBackendExecute: it takes a plan and a variant pack\n");
  EXPECT_EQ(library.functions.setStream(nullptr, nullptr), DnnBadParam);
  EXPECT_EQ(takeFindings(), "cudnnSetStream: there is no such handle\n");
}
