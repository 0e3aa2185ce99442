//===- Neighborhood.cpp - attention under a neighborhood mask -------------===//

#include "dialects/Nn/Neighborhood.h"
#include "Elaborator.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

Elaborator::MaybeDatum
Elaborator::neighborhoodFunction(const CallArguments &arguments,
                                 const Scope &scope) {
  NeighborhoodMask neighborhood;
  auto read = [&](const char *name, llvm::SmallVectorImpl<int64_t> &numbers) {
    const Expr *given = arguments.get(name);
    if (given)
      return readNumbers(*given, name, 1, scope, numbers);
    numbers.push_back(1);
    return true;
  };
  if (!read("kernel", neighborhood.kernels) ||
      !read("stride", neighborhood.strides) ||
      !read("dilation", neighborhood.dilations))
    return std::nullopt;
  if (const Expr *given = arguments.get("causal"))
    for (const Expr *item : itemsOf(*given)) {
      auto isCausal = evaluateBool(*item, scope);
      if (!isCausal)
        return std::nullopt;
      neighborhood.causal.push_back(*isCausal);
    }
  else
    neighborhood.causal = {false};
  Mask mask;
  mask.neighborhood = neighborhood;
  return Datum(mask);
}

Elaborator::MaybeDatum Elaborator::neighborhoodAttention(
    const CallArguments &arguments, llvm::ArrayRef<mlir::Value> operands,
    const NeighborhoodMask &mask, double scale, double dropout) {
  const SourceRange &range = arguments.call->range;
  if (dropout > 0) {
    error(range, "attention under a neighborhood mask drops no weights, but "
                 "its dropout is not 0")
        .note("leave 'dropout' out, or drop what it gives: dropout(attention("
              "...), p)");
    return std::nullopt;
  }
  if (const Expr *bias = arguments.get("bias")) {
    error(bias->range, "attention under a neighborhood mask takes no bias")
        .note("leave 'bias' out, or show keys of one dim by mask = "
              "window(reach)");
    return std::nullopt;
  }
  size_t rank = nn::layoutOf(operands[0]).getDims().size();
  size_t dims = rank > 3 && rank <= 6 ? rank - 3 : 1;
  auto perDim = [&](const char *name, llvm::ArrayRef<int64_t> numbers)
      -> std::optional<llvm::SmallVector<int64_t>> {
    if (numbers.size() == 1)
      return llvm::SmallVector<int64_t>(dims, numbers.front());
    if (numbers.size() == dims)
      return llvm::to_vector(numbers);
    error(range, std::string("'") + name + "' of the neighborhood has " +
                     std::to_string(numbers.size()) +
                     " entries; expected one, or one for each of the " +
                     std::to_string(dims) + " dims between heads and head dim");
    return std::nullopt;
  };
  auto kernels = perDim("kernel", mask.kernels);
  auto strides = perDim("stride", mask.strides);
  auto dilations = perDim("dilation", mask.dilations);
  auto causal = perDim("causal", mask.causal);
  if (!kernels || !strides || !dilations || !causal)
    return std::nullopt;
  llvm::SmallVector<bool> isCausal(causal->begin(), causal->end());
  mlir::Value result = emit<nn::NeighborhoodAttentionOp>(
      range, operands,
      {named("kernels", builder.getDenseI64ArrayAttr(*kernels)),
       named("strides", builder.getDenseI64ArrayAttr(*strides)),
       named("dilations", builder.getDenseI64ArrayAttr(*dilations)),
       named("causal", builder.getDenseBoolArrayAttr(isCausal)),
       named("scale", builder.getF64FloatAttr(scale))});
  return result ? MaybeDatum(Datum(result)) : std::nullopt;
}
