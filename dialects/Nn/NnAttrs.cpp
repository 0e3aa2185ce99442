//===- NnAttrs.cpp - the text of layouts and meshes -----------------------===//

#include "dialects/Nn/Nn.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket::nn;

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

/// rows ::= `[` (number (`,` number)*)? `]`, one for each member
static ParseResult parseRows(AsmParser &parser, ArrayAttr &rows) {
  SmallVector<Attribute> lists;
  while (succeeded(parser.parseOptionalLSquare())) {
    SmallVector<int64_t> list;
    if (failed(parser.parseOptionalRSquare())) {
      auto number = [&] { return parser.parseInteger(list.emplace_back()); };
      if (parser.parseCommaSeparatedList(number) || parser.parseRSquare())
        return failure();
    }
    lists.push_back(DenseI64ArrayAttr::get(parser.getContext(), list));
  }
  rows = ArrayAttr::get(parser.getContext(), lists);
  return success();
}

/// held ::= (`held` | `terms`) `(` dim `.` factor `:` (part* | `rows` rows*)
///          `)`
///
/// part ::= `[` begin `:` end `]`, one for each member
static ParseResult parseHeld(AsmParser &parser, bool areTerms,
                             SmallVectorImpl<HeldAttr> &held) {
  SMLoc location = parser.getCurrentLocation();
  int64_t dim = 0, factor = 0;
  SmallVector<int64_t> begins, ends;
  if (parseDimAndFactor(parser, dim, factor) || parser.parseColon())
    return failure();
  ArrayAttr rows;
  if (succeeded(parser.parseOptionalKeyword("rows")) && parseRows(parser, rows))
    return failure();
  while (!rows && succeeded(parser.parseOptionalLSquare()))
    if (parser.parseInteger(begins.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(ends.emplace_back()) || parser.parseRSquare())
      return failure();
  auto part = HeldAttr::getChecked([&] { return parser.emitError(location); },
                                   parser.getContext(), dim, factor,
                                   ArrayRef<int64_t>(begins),
                                   ArrayRef<int64_t>(ends), areTerms, rows);
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

static void printHeld(raw_ostream &os, HeldAttr held) {
  os << (held.getTerms() ? "terms(" : "held(") << held.getDim() << "."
     << held.getFactor() << (held.getRows() ? ": rows" : ":");
  for (int64_t i = 0; i < held.getMembers(); ++i) {
    os << " [";
    if (held.getRows())
      llvm::interleaveComma(held.rowsOf(i), os);
    else
      os << held.getBegins()[i] << ":" << held.getEnds()[i];
    os << "]";
  }
  os << ")";
}

Attribute HeldAttr::parse(AsmParser &parser, Type) {
  SmallVector<HeldAttr> held;
  StringRef what;
  if (parser.parseLess() || parser.parseKeyword(&what) ||
      parser.parseLParen() || parseHeld(parser, what == "terms", held) ||
      parser.parseGreater())
    return {};
  return held.front();
}

void HeldAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printHeld(printer.getStream(), *this);
  printer << ">";
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
    os << (std::exchange(first, false) ? "" : ", ");
    printHeld(os, part);
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
