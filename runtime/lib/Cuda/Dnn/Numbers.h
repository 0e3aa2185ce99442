//===- Numbers.h - the numbers of cuDNN's backend API ----------*- C++ -*-===//
//
// Kinds of descriptors, their attributes and what these are set to, as far as
// Hocket uses them: part of Api.h.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DNN_NUMBERS_H
#define HOCKET_RUNTIME_LIB_CUDA_DNN_NUMBERS_H

namespace hocket::runtime::cuda {

/// cudnnBackendDescriptorType_t.
enum DnnDescriptorType : int {
  DnnPointwise = 0,
  DnnConvolutionDescriptor = 1,
  DnnEngine = 2,
  DnnEngineConfig = 3,
  DnnHeuristics = 4,
  DnnPlan = 5,
  DnnKnobChoice = 7,
  DnnOperationForward = 10,
  DnnOperationWeightGradient = 11,
  DnnOperationInputGradient = 12,
  DnnOperationPointwise = 13,
  DnnOperationGraph = 15,
  DnnVariantPack = 16,
  DnnTensorDescriptor = 17,
  DnnMatmul = 18,
  DnnOperationMatmul = 19,
  DnnReduction = 21,
  DnnOperationReduction = 22,
  DnnOperationReshape = 31,
  DnnDeviceProperties = 38,
};

/// cudnnBackendAttributeName_t.
enum DnnAttribute : int {
  DnnPointwiseMode = 0,
  DnnPointwiseCompute = 1,
  DnnPointwiseAxis = 9,
  DnnConvolutionCompute = 100,
  DnnConvolutionMode = 101,
  DnnConvolutionDilations = 102,
  DnnConvolutionStrides = 103,
  DnnConvolutionHighs = 104, // post-paddings
  DnnConvolutionLows = 105,  // pre-paddings
  DnnConvolutionDims = 106,
  DnnHeuristicsMode = 200,
  DnnHeuristicsGraph = 201,
  DnnHeuristicsResults = 202,
  DnnHeuristicsDevice = 204,
  DnnConfigEngine = 300,
  DnnConfigKnobs = 302,
  DnnConfigWorkspace = 303,
  DnnPlanHandle = 400,
  DnnPlanConfig = 401,
  DnnPlanWorkspace = 402,
  DnnPlanText = 405, // JSON
  DnnPlanDevice = 407,
  DnnKnobKind = 600,
  DnnKnobValue = 601,
  DnnForwardAlpha = 700,
  DnnForwardBeta = 701,
  DnnForwardConvolution = 702,
  DnnForwardWeight = 703,
  DnnForwardX = 704,
  DnnForwardY = 705,
  DnnInputGradientAlpha = 706,
  DnnInputGradientBeta = 707,
  DnnInputGradientConvolution = 708,
  DnnInputGradientWeight = 709,
  DnnInputGradientX = 710,
  DnnInputGradientY = 711,
  DnnWeightGradientAlpha = 712,
  DnnWeightGradientBeta = 713,
  DnnWeightGradientConvolution = 714,
  DnnWeightGradientWeight = 715,
  DnnWeightGradientX = 716,
  DnnWeightGradientY = 717,
  DnnOperationPointwiseDescriptor = 750,
  DnnOperationPointwiseX = 751,
  DnnOperationPointwiseB = 752,
  DnnOperationPointwiseY = 753,
  DnnOperationPointwiseCondition = 758,
  DnnGraphHandle = 800,
  DnnGraphOperations = 801,
  DnnTensorAlignment = 900, // bytes
  DnnTensorType = 901,
  DnnTensorExtents = 902,
  DnnTensorStrides = 903, // elements
  DnnTensorId = 906,
  DnnTensorIsVirtual = 907,
  DnnTensorIsValue = 908,
  DnnPackIds = 1000,
  DnnPackPointers = 1001,
  DnnPackWorkspace = 1003,
  DnnEngineGraph = 1300,
  DnnEngineIndex = 1301,
  DnnEngineNotes = 1303,
  DnnEngineDevice = 1307,
  DnnMatmulCompute = 1500,
  DnnOperationMatmulA = 1520,
  DnnOperationMatmulB = 1521,
  DnnOperationMatmulC = 1522,
  DnnOperationMatmulDescriptor = 1523,
  DnnOperationMatmulRows = 1525,    // of each batch entry, instead of C's
  DnnOperationMatmulColumns = 1526, // likewise
  DnnOperationMatmulTerms = 1527,   // likewise, instead of A's columns
  DnnReductionKind = 1600,
  DnnReductionCompute = 1601,
  DnnOperationReductionX = 1610,
  DnnOperationReductionY = 1611,
  DnnOperationReductionDescriptor = 1612,
  DnnOperationReshapeX = 2200,
  DnnOperationReshapeY = 2201,
  DnnDeviceText = 2702, // JSON
};

/// cudnnBackendAttributeType_t, with the type of an element.
enum DnnAttributeType : int {
  DnnTypeHandle = 0,      // DnnHandle
  DnnTypeDataType = 1,    // DnnType
  DnnTypeBoolean = 2,     // bool
  DnnTypeInt64 = 3,       // int64_t
  DnnTypeFloat = 4,       // float
  DnnTypeDouble = 5,      // double
  DnnTypePointer = 6,     // void *
  DnnTypeMode = 7,        // DnnMode
  DnnTypeHeuristics = 8,  // DnnHeuristicsKind
  DnnTypeKnob = 9,        // DnnKnob
  DnnTypeNote = 11,       // DnnNote
  DnnTypePointwise = 14,  // DnnPointwiseKind
  DnnTypeDescriptor = 15, // DnnDescriptor
  DnnTypeReduction = 18,  // DnnReduceKind
  DnnTypeChar = 24,       // char
};

/// cudnnDataType_t.
enum DnnType : int {
  DnnF32 = 0,
  DnnF64 = 1,
  DnnF16 = 2,
  DnnI32 = 4,
  DnnBF16 = 9,
  DnnBool = 11,
};

/// cudnnConvolutionMode_t. Taps are not turned around.
enum DnnMode : int { DnnCrossCorrelation = 1 };

/// cudnnPointwiseMode_t.
enum DnnPointwiseKind : int {
  DnnAdd = 0,
  DnnMultiply = 1,
  DnnDivide = 6,
  DnnSubtract = 9,
  DnnExp = 13,
  DnnLog = 15,
  DnnIdentity = 21,
  DnnGreater = 302,
  DnnGreaterOrEqual = 303,
  DnnLess = 304,
  DnnAnd = 400,
  DnnIndex = 501,  // of an element in a dim
  DnnSelect = 601, // x where the condition holds, else b
};

/// cudnnReduceTensorOp_t.
enum DnnReduceKind : int { DnnReduceAdd = 0, DnnReduceMax = 3 };

/// cudnnBackendKnobType_t: what a configuration chooses within an engine.
enum DnnKnob : int {
  DnnKnobStages = 14,
  DnnKnobKernel = 24,
  DnnKnobClusterRows = 27,
  DnnKnobStreamK = 38,
  DnnKnobTileRows = 40,
  DnnKnobTileColumns = 41,
};

/// cudnnBackendHeurMode_t. The fallback lists engines that take nearly
/// everything and are slow.
enum DnnHeuristicsKind : int {
  DnnHeuristicsFallback = 2,
  DnnHeuristicsBest = 3,
};

/// cudnnBackendNumericalNote_t: what an engine does to numbers.
enum DnnNote : int {
  DnnNoteTensorCore = 0,
  DnnNoteRoundsInputs = 1,
  DnnNoteRoundsSums = 2,
  DnnNoteFft = 3,
  DnnNoteNondeterministic = 4,
  DnnNoteWinograd = 5,
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DNN_NUMBERS_H
