//===- Convolutions.cpp - Conv1d to Conv3d and the transposed ones --------===//
//
// Arguments, defaults and layouts of parameters are PyTorch's, so that
// published weights load as they are. A number counts for every dim, a tuple
// has one for each; `border` names what lies beyond the ends.
//
//===----------------------------------------------------------------------===//

#include "Elaborator.h"
#include "Kinds.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Windows.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

std::optional<size_t> frontend::convolutionDims(llvm::StringRef name,
                                                bool &isTransposed) {
  isTransposed = name.consume_front("ConvTranspose");
  if (!isTransposed && !name.consume_front("Conv"))
    return std::nullopt;
  for (size_t dims = 1; dims <= 3; ++dims)
    if (name == std::to_string(dims) + "d")
      return dims;
  return std::nullopt;
}

std::vector<const Expr *> Elaborator::itemsOf(const Expr &given) {
  auto *tuple = dynAs<TupleExpr>(&given);
  if (!tuple)
    return {&given};
  std::vector<const Expr *> items;
  for (const Argument &item : tuple->items)
    items.push_back(item.value.get());
  return items;
}

bool Elaborator::readNumbers(const Expr &given, const char *name, int64_t least,
                             const Scope &scope,
                             llvm::SmallVectorImpl<int64_t> &numbers) {
  for (const Expr *item : itemsOf(given)) {
    auto number = evaluateInt(*item, scope);
    if (!number)
      return false;
    if (*number < least) {
      error(item->range, std::string("'") + name + "' is " +
                             std::to_string(*number) + ", expected at least " +
                             std::to_string(least));
      return false;
    }
    if (!isInReach(*number, name, item->range))
      return false;
    numbers.push_back(*number);
  }
  return true;
}

/// What is counted in positions is far from where sums of it overflow.
bool Elaborator::isInReach(int64_t number, const std::string &name,
                           SourceRange range) {
  constexpr int64_t most = int64_t(1) << 40; // as a plan's
  if (number <= most)
    return true;
  error(range, "'" + name + "' is " + std::to_string(number) +
                   ", expected at most " + std::to_string(most));
  return false;
}

/// A number for each dim, or one for all; each at least `least`.
bool Elaborator::readPerDim(const CallArguments &arguments, const char *name,
                            int64_t fallback, int64_t least, size_t dims,
                            const Scope &scope,
                            llvm::SmallVectorImpl<int64_t> &numbers,
                            const char *each) {
  const Expr *given = arguments.get(name);
  if (!given) {
    numbers.assign(dims, fallback);
    return true;
  }
  bool isTuple = dynAs<TupleExpr>(given) != nullptr;
  size_t count = itemsOf(*given).size();
  if (isTuple && count != dims) {
    error(given->range, std::string("'") + name + "' has " +
                            std::to_string(count) +
                            " numbers; expected one, or one for each of the " +
                            std::to_string(dims) + " " + each);
    return false;
  }
  if (!readNumbers(*given, name, least, scope, numbers))
    return false;
  if (!isTuple)
    numbers.resize(dims, numbers.front());
  return true;
}

/// `padding = 1`, `(1, 2)` for each dim, or `((0, 1), (1, 1))`, before and
/// after each.
bool Elaborator::readPadding(const CallArguments &arguments, const Scope &scope,
                             SlidingWindow &window) {
  const Expr *given = arguments.get("padding");
  auto *tuple = given ? dynAs<TupleExpr>(given) : nullptr;
  bool hasSides = tuple && llvm::any_of(tuple->items, [](const Argument &item) {
                    return dynAs<TupleExpr>(item.value) != nullptr;
                  });
  if (!hasSides) {
    bool ok = readPerDim(arguments, "padding", 0, 0, window.spatial, scope,
                         window.lows);
    window.highs = window.lows;
    return ok;
  }
  for (const Argument &item : tuple->items) {
    auto *sides = dynAs<TupleExpr>(item.value);
    auto number = [&](size_t side) {
      return evaluateInt(sides ? *sides->items[side].value : *item.value,
                         scope);
    };
    if (sides && sides->items.size() != 2) {
      error(item.value->range, "expected a padding before and one after, as in "
                               "'(0, 1)'");
      return false;
    }
    auto low = number(0), high = number(1);
    if (!low || !high)
      return false;
    if (*low < 0 || *high < 0) {
      error(item.value->range, "'padding' is (" + std::to_string(*low) + ", " +
                                   std::to_string(*high) +
                                   "), expected at least 0");
      return false;
    }
    for (int64_t side : {*low, *high})
      if (!isInReach(side, "padding", item.value->range))
        return false;
    window.lows.push_back(*low);
    window.highs.push_back(*high);
  }
  if (window.lows.size() == window.spatial)
    return true;
  error(given->range, "'padding' has " + std::to_string(tuple->items.size()) +
                          " entries; expected one, or one for each of the " +
                          std::to_string(window.spatial) +
                          " dims to slide over");
  return false;
}

bool Elaborator::readBorders(const CallArguments &arguments, size_t dims,
                             llvm::SmallVectorImpl<nn::Border> &borders,
                             const char *each) {
  const Expr *given = arguments.get("border");
  if (!given) {
    borders.assign(dims, nn::Border::Zero);
    return true;
  }
  std::vector<const Expr *> items;
  if (auto *tuple = dynAs<TupleExpr>(given))
    for (const Argument &item : tuple->items)
      items.push_back(item.value.get());
  else
    items.assign(dims, given);
  for (const Expr *item : items) {
    auto *word = dynAs<NameExpr>(item);
    auto border = word ? nn::borderNamed(word->name) : std::nullopt;
    if (!border) {
      error(item->range,
            "a border is zero, reflect, replicate or circular, found '" +
                textOf(item->range) + "'");
      return false;
    }
    borders.push_back(*border);
  }
  if (items.size() == dims)
    return true;
  error(given->range, "'border' has " + std::to_string(items.size()) +
                          " words; expected one, or one for each of the " +
                          std::to_string(dims) + " " + each);
  return false;
}

namespace {
struct Refusal {
  std::string error, note;
};
} // namespace

/// Why no transpose of a convolution has so much output_padding.
static std::optional<Refusal> refuseExtra(const Convolution &convolution) {
  for (size_t i = 0; i < convolution.spatial; ++i) {
    int64_t extra = convolution.extra[i], stride = convolution.strides[i];
    int64_t dilation = convolution.dilations[i];
    nn::Border border = convolution.borders[i];
    std::string text = "'output_padding' is " + std::to_string(extra) +
                       " where the stride is " + std::to_string(stride);
    if (extra >= std::max(stride, dilation))
      return Refusal{text + " and the dilation " + std::to_string(dilation) +
                         ", expected less than the larger one",
                     "pad the result for more: pad(y, axis = " +
                         std::to_string(i + 2) + ", before = 0, after = 1)"};
    if (extra >= stride && border != nn::Border::Zero)
      return Refusal{text + " and the border " +
                         nn::stringifyBorder(border).str() +
                         ", expected less than the stride",
                     "where it is not, the border is zero"};
  }
  return std::nullopt;
}

/// What a result has beyond the least that fits is less than a stride: whole
/// strides are the taps that padding takes away, or else zeros, of which it
/// gives how many each dim has behind all others.
static llvm::SmallVector<int64_t> fitExtra(Convolution &convolution) {
  llvm::SmallVector<int64_t> behind;
  for (size_t i = 0; i < convolution.spatial; ++i) {
    int64_t whole =
        convolution.extra[i] - convolution.extra[i] % convolution.strides[i];
    int64_t shown = std::min(whole, convolution.highs[i]);
    convolution.highs[i] -= shown;
    convolution.extra[i] -= whole;
    behind.push_back(whole - shown);
  }
  return behind;
}

InstancePtr Elaborator::instantiateConvolution(const CallExpr &call,
                                               const std::string &name,
                                               const Scope &scope,
                                               const std::string &path) {
  auto made = std::make_shared<Convolution>();
  made->spatial = *convolutionDims(name, made->isTransposed);
  llvm::SmallVector<llvm::StringRef> names = {"in",       "out",     "kernel",
                                              "stride",   "padding", "groups",
                                              "dilation", "bias",    "border"};
  if (made->isTransposed)
    names.push_back("output_padding");
  auto arguments = matchArguments(call, name, names, 3);
  if (!arguments)
    return nullptr;
  auto in = evaluateDim(*arguments->get("in"), scope);
  auto out = evaluateDim(*arguments->get("out"), scope);
  auto read = [&](const char *which, int64_t fallback, int64_t least,
                  llvm::SmallVectorImpl<int64_t> &numbers) {
    return readPerDim(*arguments, which, fallback, least, made->spatial, scope,
                      numbers);
  };
  std::optional<bool> bias = true;
  if (const Expr *given = arguments->get("bias"))
    bias = evaluateBool(*given, scope);
  std::optional<int64_t> groups = 1;
  if (const Expr *given = arguments->get("groups"))
    groups = evaluateInt(*given, scope);
  if (!in || !out || !bias || !groups || !read("kernel", 1, 1, made->kernel) ||
      !read("stride", 1, 1, made->strides) ||
      !read("dilation", 1, 1, made->dilations) ||
      !read("output_padding", 0, 0, made->extra) ||
      !readPadding(*arguments, scope, *made) ||
      !readBorders(*arguments, made->spatial, made->borders))
    return nullptr;
  made->groups = *groups;
  if (const Expr *extra = arguments->get("output_padding"))
    if (auto refusal = refuseExtra(*made)) {
      error(extra->range, refusal->error).note(refusal->note);
      return nullptr;
    }
  if (*groups < 1 || in->getSize() % *groups || out->getSize() % *groups) {
    error(call.range, std::to_string(*groups) + " groups of " +
                          std::to_string(in->getSize()) + " and " +
                          std::to_string(out->getSize()) +
                          " channels; the groups divide both");
    return nullptr;
  }
  auto instance = std::make_shared<Instance>();
  instance->builtin = Builtin::Convolution;
  instance->path = path;
  instance->convolution = made;
  nn::DimAttr first = made->isTransposed ? *in : *out;
  nn::DimAttr second = made->isTransposed ? *out : *in;
  if (*groups > 1)
    second = nn::dimOf(context, "", second.getSize() / *groups);
  llvm::SmallVector<nn::DimAttr> dims = {first, second};
  for (int64_t size : made->kernel)
    dims.push_back(nn::dimOf(context, "", size));
  llvm::SmallVector<llvm::StringRef> roles = {"out", "in"};
  if (made->isTransposed)
    std::swap(roles[0], roles[1]);
  roles.resize(dims.size());
  addParameter(*instance, "weight", dims, roles, call.range);
  if (*bias)
    addParameter(*instance, "bias", {*out}, {"out"}, call.range);
  return instance;
}

/// x [b, in, n...] under the transpose: b, out and the positions that windows
/// of n results span.
static mlir::RankedTensorType transposedType(const Convolution &convolution,
                                             mlir::Value x,
                                             mlir::Value weight) {
  mlir::MLIRContext *context = x.getContext();
  auto layout = nn::layoutOf(x);
  nn::DimAttr out = nn::layoutOf(weight).getDims()[1];
  if (convolution.groups > 1)
    out = nn::dimOf(context, "", out.getSize() * convolution.groups);
  llvm::SmallVector<nn::DimAttr> dims = {layout.getDims()[0], out};
  for (size_t i = 0; i < convolution.spatial; ++i) {
    nn::DimAttr dim = layout.getDims()[i + 2];
    int64_t extent = (dim.getSize() - 1) * convolution.strides[i] +
                     convolution.dilations[i] * (convolution.kernel[i] - 1) +
                     1 + convolution.extra[i] - convolution.lows[i] -
                     convolution.highs[i];
    dims.push_back(extent == dim.getSize()
                       ? dim
                       : nn::dimOf(context, dim.getDisplayName(), extent));
  }
  return nn::tensorOf(
      mlir::cast<mlir::RankedTensorType>(x.getType()).getElementType(),
      nn::LayoutAttr::get(context, dims));
}

mlir::Value Elaborator::callConvolution(Instance &instance, mlir::Value x,
                                        SourceRange range) {
  Convolution convolution = *instance.convolution;
  llvm::SmallVector<int64_t> zeros(2, 0); // behind all that taps reach
  llvm::append_range(zeros, fitExtra(convolution));
  mlir::Value weight = instance.parameters["weight"];
  size_t rank = nn::layoutOf(x).getDims().size();
  if (rank != convolution.spatial + 2) {
    error(range, "'" + instance.path + "' takes x of " +
                     std::to_string(convolution.spatial + 2) +
                     " dims, batch, channels and " +
                     std::to_string(convolution.spatial) +
                     " to slide over, found " + nn::describe(x.getType()));
    return {};
  }
  llvm::SmallVector<mlir::NamedAttribute> attributes = {
      named("strides", builder.getDenseI64ArrayAttr(convolution.strides)),
      named("dilations", builder.getDenseI64ArrayAttr(convolution.dilations)),
      named("lows", builder.getDenseI64ArrayAttr(convolution.lows)),
      named("highs", builder.getDenseI64ArrayAttr(convolution.highs)),
      named("borders", nn::BordersAttr::get(context, convolution.borders)),
      named("groups", builder.getI64IntegerAttr(convolution.groups))};
  bool hasBias = instance.parameters.count("bias");
  if (!convolution.isTransposed) {
    llvm::SmallVector<mlir::Value> operands = {x, weight};
    if (hasBias)
      operands.push_back(instance.parameters["bias"]);
    return emit<nn::ConvOp>(range, operands, attributes);
  }
  mlir::RankedTensorType type = transposedType(convolution, x, weight);
  for (int64_t size : type.getShape())
    if (size < 1) {
      error(range, "'" + instance.path + "' gives " + nn::describe(type) +
                       "; its padding takes away all that it makes");
      return {};
    }
  mlir::Value y =
      emitAs<nn::ConvTransposeOp>(range, type, {x, weight}, attributes);
  if (mlir::failed(y.getDefiningOp<nn::ConvTransposeOp>().verify())) {
    hadShapeError = true;
    return {};
  }
  if (llvm::any_of(zeros, [](int64_t count) { return count > 0; })) {
    llvm::SmallVector<int64_t> none(rank, 0);
    y = emit<nn::PadOp>(range, y,
                        {named("lows", builder.getDenseI64ArrayAttr(none)),
                         named("highs", builder.getDenseI64ArrayAttr(zeros)),
                         named("borders", nn::zeroBorders(context, rank))});
  }
  if (!hasBias)
    return y;
  mlir::Value bias =
      nn::beforeDims(builder, locationOf(range), instance.parameters["bias"],
                     convolution.spatial);
  return emit<nn::BinaryOp>(range, {y, bias},
                            kindOf(context, nn::BinaryKind::Add));
}
