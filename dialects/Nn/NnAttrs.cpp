//===- NnAttrs.cpp - text and verification of layouts and meshes ----------===//

#include "dialects/Nn/Nn.h"
#include "dialects/Nn/Window.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket::nn;

LogicalResult FactorAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringAttr name, int64_t size) {
  if (size < 0)
    return emitError() << "a factor has size " << size
                       << "; sizes are not negative";
  return success();
}

LogicalResult DimAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<FactorAttr> factors) {
  if (factors.empty()) // (C1)
    return emitError() << "a dim has no factor; a dim of size 1 is [1]";
  return success();
}

/// (C4) of what one split says of its bounds.
static LogicalResult verifyBounds(function_ref<InFlightDiagnostic()> emitError,
                                  SplitAttr split) {
  ArrayRef<int64_t> bounds = split.getBounds(), sizes = split.getSizes();
  if (split.getDenominator() < 1)
    return emitError() << "axis " << split.getAxis()
                       << " has bounds in parts of 1 / "
                       << split.getDenominator();
  if (!llvm::is_sorted(bounds))
    return emitError() << "axis " << split.getAxis() << " has bounds that fall";
  if (!bounds.empty() && !sizes.empty() && bounds.size() + 1 != sizes.size())
    return emitError() << "axis " << split.getAxis() << " lists "
                       << bounds.size() << " bounds between " << sizes.size()
                       << " sizes";
  return success();
}

/// (C5) of one split, behind so many others of its factor.
static LogicalResult verifyOrder(function_ref<InFlightDiagnostic()> emitError,
                                 SplitAttr split, size_t before) {
  if (!split.isOrdered())
    return success();
  if (before)
    return emitError() << "axis " << split.getAxis() << " is in "
                       << orderOf(split).text()
                       << " order inside of another axis";
  if (!split.getSizes().empty() || !split.getBounds().empty())
    return emitError() << "axis " << split.getAxis() << " is in "
                       << orderOf(split).text()
                       << " order, which says its sizes";
  if (split.getBlock() < 1)
    return emitError() << "axis " << split.getAxis() << " has blocks of "
                       << split.getBlock();
  return success();
}

/// (C4) and (C5) of the splits of one factor.
static LogicalResult verifySizes(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<SplitAttr> splits, int64_t dim,
                                 int64_t factor, int64_t extent) {
  SmallVector<int64_t> parts = {extent}; // empty where it is not known
  size_t before = 0;
  for (SplitAttr split : splits) {
    if (split.getDim() != dim || split.getFactor() != factor)
      continue;
    ArrayRef<int64_t> sizes = split.getSizes();
    if (failed(verifyBounds(emitError, split)) ||
        failed(verifyOrder(emitError, split, before++)))
      return failure();
    if (llvm::any_of(sizes, [](int64_t size) { return size < 0; }))
      return emitError() << "axis " << split.getAxis() << " splits factor "
                         << factor << " of dim " << dim
                         << " in parts of negative size";
    bool isKnown = !parts.empty() && !sizes.empty();
    if (isKnown && sizes.size() % parts.size() != 0)
      return emitError() << "axis " << split.getAxis() << " splits "
                         << parts.size() << " parts of factor " << factor
                         << " of dim " << dim << ", and lists " << sizes.size()
                         << " sizes";
    if (!isKnown && !sizes.empty())
      parts = {extent};
    int64_t each = sizes.empty() ? 0 : sizes.size() / parts.size();
    for (size_t i = 0; i < parts.size() && each > 0; ++i)
      if (int64_t sum = llvm::sum_of(sizes.slice(i * each, each));
          sum != parts[i])
        return emitError() << "axis " << split.getAxis() << " splits "
                           << parts[i] << " of factor " << factor << " of dim "
                           << dim << " in parts of " << sum << " together";
    parts.assign(sizes.begin(), sizes.end());
  }
  return success();
}

LogicalResult HeldAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t, int64_t, ArrayRef<int64_t> begins,
                               ArrayRef<int64_t> ends, bool) {
  if (begins.size() != ends.size()) // (C1)
    return emitError() << "what " << begins.size() << " members hold begins, "
                       << "and that of " << ends.size() << " ends";
  for (auto [begin, end] : llvm::zip(begins, ends))
    if (end < begin)
      return emitError() << "what a member holds, [" << begin << ":" << end
                         << "], ends before it begins";
  return success();
}

/// What is held is of a factor that is split in intervals, said once. (C6)
static LogicalResult verifyHeld(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<SplitAttr> splits,
                                ArrayRef<HeldAttr> held) {
  std::pair<int64_t, int64_t> last{-1, -1};
  for (HeldAttr part : held) {
    std::pair<int64_t, int64_t> place{part.getDim(), part.getFactor()};
    auto of = [&] {
      return "factor " + std::to_string(place.first) + "." +
             std::to_string(place.second);
    };
    if (place == last)
      return emitError() << "what is held of " << of() << " is said twice";
    last = place;
    bool isSplit = false;
    for (SplitAttr split : splits) {
      if (std::pair(split.getDim(), split.getFactor()) != place)
        continue;
      isSplit = true;
      if (split.isOrdered())
        return emitError() << "ranks hold intervals of " << of()
                           << ", whose parts are in an order";
    }
    if (!isSplit)
      return emitError() << "says what ranks hold of " << of()
                         << ", which no axis splits";
  }
  return success();
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<DimAttr> dims,
                                 ArrayRef<SplitAttr> splits,
                                 ArrayRef<PartialAttr> partials,
                                 ArrayRef<HeldAttr> held) {
  llvm::SmallSet<StringRef, 4> axes;
  auto once = [&](StringAttr axis) -> LogicalResult { // (C2)
    if (!axes.insert(axis.getValue()).second)
      return emitError() << "axis " << axis << " is listed twice";
    return success();
  };
  for (SplitAttr split : splits) {
    if (failed(once(split.getAxis())))
      return failure();
    int64_t dim = split.getDim(), factor = split.getFactor(); // (C3)
    if (dim < 0 || dim >= int64_t(dims.size()))
      return emitError() << "axis " << split.getAxis() << " splits dim " << dim
                         << " of a tensor of " << dims.size() << " dims";
    int64_t count = dims[dim].getFactors().size();
    if (factor < 0 || factor >= count)
      return emitError() << "axis " << split.getAxis() << " splits factor "
                         << factor << " of dim " << dim << ", which has "
                         << count;
  }
  for (int64_t dim = 0; dim < int64_t(dims.size()); ++dim)
    for (auto [f, factor] : llvm::enumerate(dims[dim].getFactors()))
      if (failed(verifySizes(emitError, splits, dim, f, factor.getSize())))
        return failure();
  for (PartialAttr partial : partials)
    if (failed(once(partial.getAxis())))
      return failure();
  return verifyHeld(emitError, splits, held);
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getDims().size()) // (C1)
    return emitError() << "the tensor has " << shape.size()
                       << " dims, its layout " << getDims().size();
  for (auto [index, dim] : llvm::enumerate(getDims()))
    if (dim.getSize() != shape[index])
      return emitError() << "dim " << index << " has size " << shape[index]
                         << ", but its factors make " << dim.getSize();
  return success();
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<MeshAxisAttr> axes) {
  llvm::SmallSet<StringRef, 4> names;
  for (MeshAxisAttr axis : axes) {
    if (axis.getSize() < 1) // (C1)
      return emitError() << "mesh axis " << axis.getName() << " has size "
                         << axis.getSize() << "; an axis has at least 1 rank";
    if (!names.insert(axis.getName().getValue()).second) // (C2)
      return emitError() << "mesh axis " << axis.getName()
                         << " is declared twice";
  }
  return success();
}

/// factor ::= size | name `=` size
static FailureOr<FactorAttr> parseFactor(AsmParser &parser) {
  int64_t size = 0;
  OptionalParseResult anonymous = parser.parseOptionalInteger(size);
  std::string name;
  if (!anonymous.has_value()) {
    if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
        parser.parseInteger(size))
      return failure();
  } else if (failed(*anonymous)) {
    return failure();
  }
  MLIRContext *context = parser.getContext();
  auto factor = FactorAttr::getChecked(
      [&] { return parser.emitError(parser.getNameLoc()); }, context,
      StringAttr::get(context, name), size);
  if (!factor)
    return failure();
  return factor;
}

/// dim ::= `[` factor* `]`
static OptionalParseResult parseOptionalDim(AsmParser &parser,
                                            SmallVectorImpl<DimAttr> &dims) {
  if (failed(parser.parseOptionalLSquare()))
    return std::nullopt;
  SmallVector<FactorAttr> factors;
  while (failed(parser.parseOptionalRSquare())) {
    FailureOr<FactorAttr> factor = parseFactor(parser);
    if (failed(factor))
      return failure();
    factors.push_back(*factor);
  }
  auto dim =
      DimAttr::getChecked([&] { return parser.emitError(parser.getNameLoc()); },
                          parser.getContext(), ArrayRef<FactorAttr>(factors));
  if (!dim)
    return failure();
  dims.push_back(dim);
  return success();
}

/// `2.10` means factor 10 of dim 2. The lexer takes it as a float, which would
/// lose the trailing 0, so the digits are read from the text. What follows is
/// `)` or the sizes.
static ParseResult parseDimAndFactor(AsmParser &parser, int64_t &dim,
                                     int64_t &factor) {
  SMLoc location = parser.getCurrentLocation();
  StringRef text(location.getPointer());
  double ignored;
  if (parser.parseFloat(ignored))
    return failure();
  if (text.consumeInteger(10, dim) || !text.consume_front(".") ||
      text.consumeInteger(10, factor) ||
      !(text.ltrim().starts_with(")") || text.starts_with(" ") ||
        text.starts_with(":")))
    return parser.emitError(location)
           << "expected the numbers of a dim and of its factor, as in S(2.0)";
  return success();
}

static ParseResult parseOptionalList(AsmParser &parser, StringRef keyword,
                                     SmallVectorImpl<int64_t> &numbers) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(numbers.emplace_back());
  });
}

static ParseResult parseOrder(AsmParser &parser, Ordering &order) {
  if (succeeded(parser.parseOptionalKeyword("zigzag")))
    order.kind = Order::Zigzag;
  if (failed(parser.parseOptionalKeyword("striped")))
    return success();
  order.kind = Order::Striped;
  OptionalParseResult block = parser.parseOptionalInteger(order.block);
  return failure(block.has_value() && failed(*block));
}

/// held ::= (`held` | `terms`) `(` dim `.` factor `:` part* `)`
///
/// part ::= `[` begin `:` end `]`, one for each member
static ParseResult parseHeld(AsmParser &parser, bool areTerms,
                             SmallVectorImpl<HeldAttr> &held) {
  SMLoc location = parser.getCurrentLocation();
  int64_t dim = 0, factor = 0;
  SmallVector<int64_t> begins, ends;
  if (parseDimAndFactor(parser, dim, factor) || parser.parseColon())
    return failure();
  while (succeeded(parser.parseOptionalLSquare()))
    if (parser.parseInteger(begins.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(ends.emplace_back()) || parser.parseRSquare())
      return failure();
  auto part = HeldAttr::getChecked(
      [&] { return parser.emitError(location); }, parser.getContext(), dim,
      factor, ArrayRef<int64_t>(begins), ArrayRef<int64_t>(ends), areTerms);
  if (!part)
    return failure();
  held.push_back(part);
  return parser.parseRParen();
}

/// placement ::= axis `:` (split | partial) | held
///
/// split ::= `S` `(` dim `.` factor (order | (`sizes` list)? (`even` | `bounds`
///           list (`/` denominator)?)?) `)`
///
/// order ::= `zigzag` | `striped` number?
///
/// Sizes alone state bounds where the parts begin.
///
/// list ::= `[` number (`,` number)* `]`
///
/// partial ::= `P` `(` kind `)`
static ParseResult parsePlacement(AsmParser &parser,
                                  SmallVectorImpl<SplitAttr> &splits,
                                  SmallVectorImpl<PartialAttr> &partials,
                                  SmallVectorImpl<HeldAttr> &held) {
  MLIRContext *context = parser.getContext();
  std::string axis;
  StringRef letter;
  if (parser.parseKeywordOrString(&axis))
    return failure();
  if ((axis == "held" || axis == "terms") &&
      succeeded(parser.parseOptionalLParen()))
    return parseHeld(parser, axis == "terms", held);
  if (parser.parseColon())
    return failure();
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeyword(&letter) || parser.parseLParen())
    return failure();
  if (letter == "S") {
    int64_t dim = 0, factor = 0;
    SmallVector<int64_t> sizes, bounds;
    int64_t denominator = 1;
    Ordering order;
    if (parseDimAndFactor(parser, dim, factor) || parseOrder(parser, order) ||
        parseOptionalList(parser, "sizes", sizes))
      return failure();
    bool isEven =
        !sizes.empty() && succeeded(parser.parseOptionalKeyword("even"));
    if (!isEven && parseOptionalList(parser, "bounds", bounds))
      return failure();
    if (!bounds.empty() && succeeded(parser.parseOptionalSlash()) &&
        parser.parseInteger(denominator))
      return failure();
    if (!isEven && bounds.empty())
      bounds = Bounds::of(sizes).places;
    splits.push_back(SplitAttr::get(context, StringAttr::get(context, axis),
                                    dim, factor, sizes, bounds, denominator,
                                    order.kind, order.block));
    return parser.parseRParen();
  }
  if (letter != "P")
    return parser.emitError(location)
           << "expected S(dim.factor) or P(sum|max|min), found '" << letter
           << "'";
  location = parser.getCurrentLocation();
  StringRef kind;
  if (parser.parseKeyword(&kind))
    return failure();
  std::optional<Reduction> reduction = symbolizeReduction(kind);
  if (!reduction)
    return parser.emitError(location)
           << "expected sum, max or min, found '" << kind << "'";
  partials.push_back(
      PartialAttr::get(context, StringAttr::get(context, axis), *reduction));
  return parser.parseRParen();
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<DimAttr> dims;
  SmallVector<SplitAttr> splits;
  SmallVector<PartialAttr> partials;
  SmallVector<HeldAttr> held;
  if (parser.parseLess())
    return {};
  while (true) {
    OptionalParseResult dim = parseOptionalDim(parser, dims);
    if (!dim.has_value())
      break;
    if (failed(*dim))
      return {};
  }
  // A tensor of rank 0 has no dims to put a comma after.
  bool more = dims.empty() ? failed(parser.parseOptionalGreater())
                           : succeeded(parser.parseOptionalComma());
  bool closed = dims.empty() && !more;
  while (more) {
    if (parsePlacement(parser, splits, partials, held))
      return {};
    more = succeeded(parser.parseOptionalComma());
  }
  if (!closed && parser.parseGreater())
    return {};
  return LayoutAttr::getChecked(
      [&] { return parser.emitError(location); }, parser.getContext(),
      ArrayRef<DimAttr>(dims), ArrayRef<SplitAttr>(splits),
      ArrayRef<PartialAttr>(partials), ArrayRef<HeldAttr>(held));
}

void LayoutAttr::print(AsmPrinter &printer) const {
  raw_ostream &os = printer.getStream();
  os << "<";
  llvm::interleave(
      getDims(), os,
      [&](DimAttr dim) {
        os << "[";
        llvm::interleave(
            dim.getFactors(), os,
            [&](FactorAttr factor) {
              if (!factor.getName().empty()) {
                printer.printKeywordOrString(factor.getName().getValue());
                os << "=";
              }
              os << factor.getSize();
            },
            " ");
        os << "]";
      },
      " ");
  bool first = getDims().empty();
  auto axis = [&](StringAttr name) -> raw_ostream & {
    os << (std::exchange(first, false) ? "" : ", ");
    printer.printKeywordOrString(name.getValue());
    return os << ": ";
  };
  for (SplitAttr split : getSplits()) {
    axis(split.getAxis()) << "S(" << split.getDim() << "." << split.getFactor();
    auto list = [&](StringRef keyword, ArrayRef<int64_t> numbers) {
      if (numbers.empty())
        return;
      os << " " << keyword << " [";
      llvm::interleaveComma(numbers, os);
      os << "]";
    };
    if (split.isOrdered())
      os << " " << orderOf(split).text();
    list("sizes", split.getSizes());
    Bounds bounds = boundsOf(split);
    if (bounds.empty() && split.getSizes().size() > 1)
      os << " even";
    else if (!(bounds == Bounds::of(split.getSizes())))
      list("bounds", bounds.places);
    if (bounds.denominator != 1)
      os << " / " << bounds.denominator;
    os << ")";
  }
  for (PartialAttr partial : getPartials())
    axis(partial.getAxis())
        << "P(" << stringifyReduction(partial.getReduction()) << ")";
  for (HeldAttr part : getHeld()) {
    os << (std::exchange(first, false) ? "" : ", ")
       << (part.getTerms() ? "terms(" : "held(") << part.getDim() << "."
       << part.getFactor() << ":";
    for (auto [begin, end] : llvm::zip(part.getBegins(), part.getEnds()))
      os << " [" << begin << ":" << end << "]";
    os << ")";
  }
  os << ">";
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  MLIRContext *context = parser.getContext();
  SmallVector<MeshAxisAttr> axes;
  auto axis = [&]() -> ParseResult {
    std::string name;
    int64_t size = 0;
    if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
        parser.parseInteger(size))
      return failure();
    axes.push_back(
        MeshAxisAttr::get(context, StringAttr::get(context, name), size));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, axis))
    return {};
  return MeshAttr::getChecked([&] { return parser.emitError(location); },
                              context, ArrayRef<MeshAxisAttr>(axes));
}

void MeshAttr::print(AsmPrinter &printer) const {
  raw_ostream &os = printer.getStream();
  os << "<";
  llvm::interleaveComma(getAxes(), os, [&](MeshAxisAttr axis) {
    printer.printKeywordOrString(axis.getName().getValue());
    os << "=" << axis.getSize();
  });
  os << ">";
}

//===-- Borders -----------------------------------------------------------===//

static FailureOr<Border> parseBorder(AsmParser &parser) {
  std::string word;
  SMLoc at = parser.getCurrentLocation();
  (void)parser.parseOptionalKeywordOrString(&word);
  if (std::optional<Border> border = borderNamed(word))
    return *border;
  return parser.emitError(at, "expected one of [")
         << llvm::join(hocket::plan::borderWords, ", ")
         << "] for what stands beyond the ends of a dim, got: " << word;
}

Attribute BorderAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<Border> border = parseBorder(parser);
  if (failed(border) || parser.parseGreater())
    return {};
  return get(parser.getContext(), *border);
}

void BorderAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyBorder(getValue()) << ">";
}

Attribute BordersAttr::parse(AsmParser &parser, Type) {
  SmallVector<Border> borders;
  auto parseNext = [&] {
    FailureOr<Border> border = parseBorder(parser);
    if (succeeded(border))
      borders.push_back(*border);
    return LogicalResult(border);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseNext))
    return {};
  return get(parser.getContext(), borders);
}

void BordersAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getValue(), printer, [&](Border border) {
    printer << stringifyBorder(border);
  });
  printer << ">";
}
