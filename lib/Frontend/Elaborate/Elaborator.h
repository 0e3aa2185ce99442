//===- Elaborator.h - the parts of the elaborator ---------------*- C++ -*-===//
//
// One class, its methods in files by role: Static.cpp (numbers), Dims.cpp
// (tensor types and dims), Members.cpp and Instances.cpp (members), Calls.cpp,
// Functions*.cpp (built-in functions), Statements.cpp, Expressions.cpp.
// A method that returns an empty optional has reported an error.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_ELABORATE_ELABORATOR_H
#define HOCKET_FRONTEND_ELABORATE_ELABORATOR_H

#include "CallArguments.h"
#include "ElaboratorState.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Values.h"
#include "hocket/Frontend/Elaborate.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

namespace hocket::frontend {

class Elaborator : private ElaboratorState {
public:
  using ElaboratorState::ElaboratorState;

  using MaybeDatum = std::optional<Datum>;
  using Expr = syntax::Expr;
  using SourceRange = syntax::SourceRange;
  /// Makes dropout live: emitModel adds the input `step`.
  void train() { isTraining = true; }
  void shortenArrays(int64_t most) { mostElements = most; } ///< of modules

  /// Emits the model's function called `name`, forward or loss.
  bool emitModel(mlir::ModuleOp module, const syntax::ModuleDecl &model,
                 const syntax::VariantDecl *variant, const Scope &parameters,
                 const std::string &name);

  // Static.cpp
  std::optional<int64_t> evaluateInt(const Expr &expr, const Scope &scope);
  std::optional<double> evaluateFloat(const Expr &expr, const Scope &scope);
  std::optional<bool> evaluateBool(const Expr &expr, const Scope &scope);
  MaybeDatum evaluateAs(syntax::ParamType type, const Expr &expr,
                        const Scope &scope, const std::string &name);
  MaybeDatum staticBinary(const syntax::BinaryExpr &expr, const Datum &lhs,
                          const Datum &rhs);
  /// Binds call arguments to `params` in `into`; defaults see earlier ones.
  bool bindParameters(const std::vector<syntax::Parameter> &params,
                      const std::vector<syntax::Argument> &args,
                      SourceRange use, const Scope &caller, Scope &into,
                      const std::string &what, SourceRange declared);

  // Calls.cpp
  std::optional<CallArguments>
  matchArguments(const syntax::CallExpr &call, llvm::StringRef what,
                 llvm::ArrayRef<llvm::StringRef> names, size_t required);

  // Dims.cpp
  mlir::Type elementType(const syntax::Name &name);

  // Expressions.cpp
  MaybeDatum evaluate(const Expr &expr, const Scope &scope);
  mlir::Value evaluateTensor(const Expr &expr, const Scope &scope);
  mlir::Location locationOf(SourceRange range, llvm::StringRef path);
  mlir::Location locationOf(SourceRange range);
  std::string textOf(SourceRange range) const {
    return std::string(sources.getText(range));
  }
  syntax::Diagnostic &error(SourceRange range, const std::string &text);
  bool isInReach(int64_t number, const std::string &name, SourceRange range);
  bool countExpansion(SourceRange range); // false: reported

private:
  // EmitModel.cpp
  std::optional<llvm::SmallVector<mlir::Type>>
  inputTypes(const syntax::ModuleDecl &model,
             const syntax::FunctionItem &function, const Scope &parameters);
  /// The results of `function`, each under its name, and those names.
  bool runModel(const syntax::FunctionItem &function, const InstancePtr &root,
                std::vector<mlir::Value> &outputs,
                std::vector<std::string> &names);
  bool checkLoss(const syntax::FunctionItem &function,
                 llvm::ArrayRef<mlir::Value> outputs);
  void checkVariant(const syntax::ModuleDecl &model);

  // Expressions.cpp
  MaybeDatum evaluateName(const syntax::NameExpr &expr, const Scope &scope);
  MaybeDatum evaluateAttribute(const syntax::AttributeExpr &expr,
                               const Scope &scope);
  MaybeDatum evaluateIndex(const syntax::IndexExpr &expr, const Scope &scope);
  MaybeDatum sliceTensor(const syntax::IndexExpr &expr, mlir::Value tensor,
                         const Scope &scope);
  MaybeDatum evaluateUnary(const syntax::UnaryExpr &expr, const Scope &scope);
  MaybeDatum evaluateBinary(const syntax::BinaryExpr &expr, const Scope &scope);
  /// A number as a rank-0 tensor of the element type of `like`.
  mlir::Value asTensor(const Datum &datum, mlir::Type element,
                       SourceRange range);
  MaybeDatum binaryOp(nn::BinaryKind kind, const Datum &a, const Datum &b,
                      SourceRange range);

  // Dims.cpp
  std::optional<nn::DimAttr> evaluateDim(const Expr &expr, const Scope &scope);
  /// The declared dim for an actual one; unknown names are bound in `scope`.
  std::optional<nn::DimAttr> bindDim(const Expr &expr, nn::DimAttr actual,
                                     Scope &scope);
  mlir::RankedTensorType evaluateType(const syntax::TensorType &type,
                                      const Scope &scope);
  /// The value under the names of a declared type: an nn.value of `path`.
  mlir::Value bindTensor(mlir::Value value, const syntax::TensorType *declared,
                         const std::string &path, nn::ValueRole role,
                         Scope &scope, SourceRange use,
                         const std::string &what);
  /// Positions of the dims that `expr` (name, int or tuple) selects.
  std::optional<llvm::SmallVector<int64_t>>
  selectDims(const Expr &expr, mlir::Value tensor, const Scope &scope);
  std::optional<int64_t> selectDim(const Expr &expr, mlir::Value tensor,
                                   const Scope &scope);

  // Instances.cpp
  InstancePtr instantiate(const Expr &expr, const Scope &scope,
                          const std::string &path, unsigned depth);
  InstancePtr instantiateModule(const syntax::ModuleDecl &decl,
                                const syntax::CallExpr &call,
                                const Scope &scope, const std::string &path,
                                unsigned depth);
  const syntax::ModuleDecl *moduleNamed(const syntax::NameExpr &callee) const;
  InstancePtr instantiateBuiltin(Builtin kind, const syntax::CallExpr &call,
                                 const Scope &scope, const std::string &path);
  bool addLinear(Instance &instance, const CallArguments &arguments,
                 const Scope &scope);
  mlir::Attribute initOf(const Instance &instance, llvm::StringRef name);
  mlir::Value addParameter(Instance &instance, llvm::StringRef name,
                           llvm::ArrayRef<nn::DimAttr> dims,
                           llvm::ArrayRef<llvm::StringRef> roles,
                           SourceRange range);

  /// The tensor alone, as no instance's.
  mlir::Value addParameter(const std::string &path, mlir::RankedTensorType type,
                           llvm::ArrayRef<llvm::StringRef> roles,
                           SourceRange range);

  // Members.cpp
  bool addItems(const syntax::ModuleDecl &decl, Instance &instance,
                unsigned depth);
  const Expr *chooseMember(const Expr &, const Scope &);
  MaybeDatum makeMember(const Expr &expr, const Scope &scope,
                        const std::string &path, unsigned depth);
  MaybeDatum makeArray(const syntax::MemberArrayItem &item,
                       const Instance &instance, unsigned depth);
  MaybeDatum makeList(const syntax::ListExpr &list, const Scope &scope,
                      const std::string &path, unsigned depth);
  mlir::RankedTensorType tensorMemberType(const Expr &expr, const Scope &scope,
                                          bool isBuffer);
  MaybeDatum makeTensor(const syntax::CallExpr &call, const Scope &scope,
                        const std::string &path);

  // Convolutions.cpp
  /// The expression, or what a tuple holds.
  static std::vector<const Expr *> itemsOf(const Expr &given);
  /// One number, or those of a tuple; each at least `least`.
  bool readNumbers(const Expr &given, const char *name, int64_t least,
                   const Scope &scope, llvm::SmallVectorImpl<int64_t> &numbers);
  /// `each`: of what there are `dims`, in an error.
  bool readPerDim(const CallArguments &arguments, const char *name,
                  int64_t fallback, int64_t least, size_t dims,
                  const Scope &scope, llvm::SmallVectorImpl<int64_t> &numbers,
                  const char *each = "dims to slide over");
  bool readPadding(const CallArguments &, const Scope &, SlidingWindow &);
  bool readBorders(const CallArguments &arguments, size_t dims,
                   llvm::SmallVectorImpl<nn::Border> &borders,
                   const char *each = "dims to slide over");
  InstancePtr instantiateConvolution(const syntax::CallExpr &call,
                                     const std::string &name,
                                     const Scope &scope,
                                     const std::string &path);
  mlir::Value callConvolution(Instance &instance, mlir::Value x,
                              SourceRange range);

  // Norms.cpp
  InstancePtr instantiateNorm(const syntax::CallExpr &call,
                              const std::string &name, const Scope &scope,
                              const std::string &path);
  InstancePtr instantiateLayerNorm(const CallArguments &arguments,
                                   const syntax::ListExpr &list,
                                   const Scope &scope, const std::string &path);
  void addNormParameters(Instance &instance, llvm::ArrayRef<nn::DimAttr> dims,
                         bool affine, bool hasBias, SourceRange range);
  bool checkNormInput(const Instance &instance, mlir::Value x);
  mlir::Value emitNormalize(mlir::Value x, int64_t first, double eps);
  mlir::Value normalizeGroups(const Instance &instance, mlir::Value x);
  mlir::Value normalizeBatch(const Instance &instance, mlir::Value x);
  mlir::Value normalizeLast(const Instance &instance, mlir::Value x);
  void moveBuffer(const Instance &, const std::string &name, mlir::Value by);
  mlir::Value callNorm(Instance &, mlir::Value x, SourceRange range);

  // Poolings.cpp, FunctionsBorder.cpp
  using Function = MaybeDatum(const CallArguments &, const Scope &);
  bool readPooling(const CallArguments &, const Scope &, Pooling &);
  InstancePtr instantiatePooling(const syntax::CallExpr &, const Scope &,
                                 const std::string &path);
  mlir::Value callPooling(const Pooling &, const std::string &name, mlir::Value,
                          SourceRange range, bool wantsIndices);
  Function poolFunction, padFunction, cropFunction, cropEndFunction;
  mlir::Value joinFactors(mlir::Value, llvm::ArrayRef<int64_t> dims,
                          SourceRange);
  mlir::Value fillBorder(mlir::Value padded, mlir::Value x, int64_t dim,
                         int64_t before, double value, SourceRange);
  mlir::Value emitSlice(mlir::Value, int64_t dim, int64_t start, int64_t size,
                        SourceRange);

  // Calls.cpp
  MaybeDatum evaluateCall(const syntax::CallExpr &call, const Scope &scope);
  MaybeDatum callInstance(const InstancePtr &instance,
                          const syntax::CallExpr &call, const Scope &scope);
  MaybeDatum callModule(Instance &instance, const syntax::CallExpr &call,
                        const Scope &scope);
  MaybeDatum callBuiltin(Instance &instance, const syntax::CallExpr &call,
                         const Scope &scope);
  mlir::Value bindArgument(Instance &instance,
                           const syntax::FunctionArg &argument,
                           mlir::Value value, Scope &scope, SourceRange use);
  MaybeDatum finishModule(Instance &instance,
                          const syntax::FunctionItem &function,
                          std::vector<mlir::Value> results, Scope &scope);
  // Random.cpp
  bool addStep(const syntax::FunctionItem &function,
               llvm::SmallVectorImpl<mlir::Type> &inputs);
  mlir::Value emitDropout(mlir::Value x, double p, const std::string &path,
                          SourceRange range);
  /// The stream of the next call of `path`.
  mlir::IntegerAttr nextStream(const std::string &path);

  // Functions.cpp, FunctionsShape.cpp
  using FunctionRule = MaybeDatum (Elaborator::*)(const CallArguments &,
                                                  const Scope &);
  struct FunctionEntry;
  static llvm::ArrayRef<FunctionEntry> functionTable();
  static bool isFunction(const std::string &name);
  MaybeDatum callFunction(const std::string &name, const syntax::CallExpr &call,
                          const Scope &scope);
  Function unaryFunction, castFunction, binaryFunction, whereFunction,
      matmulFunction, softmaxFunction, reduceFunction, dropoutFunction,
      attentionFunction, paddingFunction, documentsFunction, windowFunction,
      neighborhoodFunction, rotaryFunction, iotaFunction, fillFunction,
      transposeFunction, rearrangeFunction, concatFunction, splitFunction,
      sliceFunction, blockLayoutFunction, interpolateFunction;
  // FunctionsAlong.cpp, -Constant.cpp, -Move.cpp and -Order.cpp
  Function constantFunction, broadcastFunction, chunkFunction, rollFunction,
      flipFunction, takeFunction, takeAlongFunction, softplusFunction,
      cumsumFunction, argmaxFunction, topkFunction;
  bool areAlong(mlir::Value x, mlir::Value ids, int64_t dim, SourceRange);
  mlir::Value emitPlaced(mlir::Value, llvm::ArrayRef<int64_t>, SourceRange);
  mlir::Value checkedIds(mlir::Value ids, int64_t extent, SourceRange range);
  mlir::Value pickPlaces(mlir::Value x, mlir::Value ids, int64_t, SourceRange);
  mlir::Value lookUp(mlir::Value, llvm::ArrayRef<int64_t>, int64_t dim,
                     SourceRange);
  mlir::Value fillOf(double, int64_t count, mlir::Type, SourceRange);
  mlir::Value integersOf(llvm::ArrayRef<int64_t> values, SourceRange range);
  mlir::Value floatsOf(llvm::ArrayRef<double>, mlir::Type, SourceRange);
  std::optional<llvm::SmallVector<nn::DimAttr>>
  constantDims(const CallArguments &, llvm::ArrayRef<int64_t>, const Scope &);
  mlir::Value emitReshape(mlir::Value, llvm::ArrayRef<nn::DimAttr>,
                          SourceRange);
  mlir::Value emitRenamed(mlir::Value, llvm::ArrayRef<nn::DimAttr>,
                          SourceRange);
  std::optional<llvm::SmallVector<int64_t>>
  readPlaces(const Tuple &list, int64_t extent, SourceRange range);
  mlir::Value takeRows(mlir::Value x, mlir::Value ids, int64_t, SourceRange);
  mlir::Value placesAlong(mlir::Value x, int64_t dim, SourceRange range);
  mlir::Value firstLargest(mlir::Value x, mlir::Value free, mlir::Value places,
                           int64_t dim);
  mlir::Value asIndices(mlir::Value place);
  mlir::Value ofScores(mlir::Value, const char *what, SourceRange);
  std::optional<mlir::Value> biasOf(const CallArguments &, mlir::Value shown,
                                    mlir::ValueRange operands, const Scope &);
  MaybeDatum neighborhoodAttention(const CallArguments &,
                                   llvm::ArrayRef<mlir::Value>,
                                   const NeighborhoodMask &, double scale,
                                   double dropout);
  class PairTurner; // of FunctionsRotaryAt.cpp
  mlir::Value rotaryAt(mlir::Value x, mlir::Value positions,
                       llvm::ArrayRef<double> frequencies, double factor,
                       nn::RotaryStyle style);
  mlir::Value positionsOf(const syntax::Expr &written, mlir::Value x,
                          int64_t dim, const Scope &);
  // FunctionsMask.cpp
  std::optional<Mask> maskOf(const CallArguments &, const Scope &);
  std::optional<Mask> asMask(const Datum &, syntax::SourceRange);
  MaybeDatum maskProduct(const syntax::BinaryExpr &, const Mask &,
                         const Mask &);
  // FunctionsEdges.cpp
  Function edgeListFunction, gatherFunction, scatterSumFunction;
  std::optional<EdgeList> readEdges(const std::string &, SourceRange);
  // FunctionsLoss.cpp
  Function crossEntropyFunction, squaredErrorFunction;
  bool checkTargets(mlir::Value logits, mlir::Value targets,
                    const CallArguments &arguments);
  mlir::Value pickTargets(mlir::Value logits, mlir::Value targets);
  mlir::Value meanOfValid(mlir::Value losses, mlir::Value valid);
  mlir::Value widened(mlir::Value x);
  mlir::Value callBinary(nn::BinaryKind kind, mlir::Value a, mlir::Value b);
  mlir::Value callNumber(double value, mlir::Type element);
  mlir::Value lossReduce(nn::ReduceKind kind, mlir::Value x,
                         llvm::ArrayRef<int64_t> dims);
  // FunctionsResize.cpp
  std::optional<bool> readMode(const CallArguments &arguments, size_t spatial);
  bool readSizes(const CallArguments &arguments, mlir::Value x,
                 const Scope &scope, llvm::SmallVectorImpl<int64_t> &sizes);
  mlir::Value emitRearrange(mlir::Value x, llvm::ArrayRef<nn::DimAttr> source,
                            llvm::ArrayRef<llvm::SmallVector<int64_t>> order,
                            llvm::ArrayRef<nn::DimAttr> result,
                            SourceRange range);

  // Statements.cpp
  struct Frame; // a function being run
  bool runBlock(const syntax::Block &block, Scope &scope, Frame &frame);
  bool runAssign(const syntax::AssignStmt &stmt, Scope &scope, Frame &frame);
  bool runFor(const syntax::ForStmt &stmt, Scope &scope, Frame &frame);
  bool bindName(const syntax::Name &name, Datum datum, Scope &scope,
                Frame &frame);
  /// `path`: what the paths of its bindings begin with.
  std::optional<std::vector<mlir::Value>>
  runFunction(const syntax::FunctionItem &function, Instance &instance,
              Scope &scope, const std::string &path);

  // Emit.h
  /// An op whose result type is inferred; null after a reported error.
  template <typename Op>
  mlir::Value emit(SourceRange range, mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  /// An op of a given result type.
  template <typename Op>
  mlir::Value emitAs(SourceRange range, mlir::Type type,
                     mlir::ValueRange operands,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  mlir::Value emitValue(mlir::Value x, const std::string &path,
                        nn::ValueRole role, mlir::RankedTensorType type,
                        SourceRange range);
};

} // namespace hocket::frontend

#include "Emit.h"

#endif // HOCKET_FRONTEND_ELABORATE_ELABORATOR_H
