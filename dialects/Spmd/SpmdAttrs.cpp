//===- SpmdAttrs.cpp - tables of numbers by coordinate, boxes -------------===//

#include "dialects/Spmd/Spmd.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::spmd;

#include "dialects/Spmd/SpmdEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Spmd/SpmdAttrs.cpp.inc"

void SpmdDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Spmd/SpmdAttrs.cpp.inc"
      >();
}

//===-- #spmd.table -------------------------------------------------------===//

TableAttr TableAttr::constant(MLIRContext *context, int64_t value) {
  return TableAttr::get(context, {}, {value});
}

TableAttr TableAttr::simplified(MLIRContext *context, ArrayRef<StringAttr> axes,
                                ArrayRef<int64_t> values) {
  if (llvm::all_equal(values))
    return constant(context, values.front());
  return TableAttr::get(context, axes, values);
}

TableAttr TableAttr::plus(int64_t constant) const {
  SmallVector<int64_t> values(getValues());
  for (int64_t &value : values)
    value += constant;
  return TableAttr::get(getContext(), getAxes(), values);
}

SmallVector<int64_t> TableAttr::valuesFor(int64_t members) const {
  if (isConstant())
    return SmallVector<int64_t>(members, getValues().front());
  return SmallVector<int64_t>(getValues());
}

int64_t TableAttr::at(nn::MeshAttr mesh, ArrayRef<int64_t> coordinates) const {
  int64_t index = 0;
  for (StringAttr axis : getAxes()) // names are of one context: no text
    for (auto [at, candidate] : llvm::enumerate(mesh.getAxes()))
      if (candidate.getName() == axis) {
        index = index * candidate.getSize() + coordinates[at];
        break;
      }
  return getValues()[index];
}

LogicalResult TableAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<StringAttr> axes,
                                ArrayRef<int64_t> values) {
  if (values.empty())
    return emitError() << "a table needs at least one value";
  assert((!axes.empty() || values.size() == 1) &&
         "the text of a table without axes is one value");
  for (auto [index, axis] : llvm::enumerate(axes))
    if (llvm::is_contained(axes.drop_front(index + 1), axis))
      return emitError() << "axis '" << axis.getValue()
                         << "' is listed twice in a table";
  return success();
}

// <7> or <dp, tp: [0, 4, 8, 12]>
Attribute TableAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> axes;
  SmallVector<int64_t> values;
  SMLoc begin = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  int64_t value;
  OptionalParseResult number = parser.parseOptionalInteger(value);
  if (number.has_value()) {
    if (failed(*number))
      return {};
    values.push_back(value);
  } else {
    auto parseAxis = [&]() -> ParseResult {
      std::string name;
      if (parser.parseKeywordOrString(&name))
        return failure();
      axes.push_back(parser.getBuilder().getStringAttr(name));
      return success();
    };
    auto parseValue = [&]() -> ParseResult {
      return parser.parseInteger(values.emplace_back());
    };
    if (parser.parseCommaSeparatedList(parseAxis) || parser.parseColon() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       parseValue))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<TableAttr>(begin, parser.getContext(), axes, values);
}

void TableAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (isConstant()) {
    printer << getValues().front() << ">";
    return;
  }
  llvm::interleaveComma(getAxes(), printer, [&](StringAttr axis) {
    printer.printKeywordOrString(axis.getValue());
  });
  printer << ": [";
  llvm::interleaveComma(getValues(), printer);
  printer << "]>";
}

//===-- #spmd.runs --------------------------------------------------------===//

LogicalResult RunsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               TableAttr, TableAttr, TableAttr length,
                               TableAttr) {
  for (int64_t each : length.getValues()) // (C1)
    if (each < 1)
      return emitError() << "runs have lengths of at least 1, found " << each;
  return success();
}

//===-- #spmd.positions ---------------------------------------------------===//

LogicalResult
PositionsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      TableAttr begin, int64_t extent, RunsAttr) {
  if (extent < 0)
    return emitError() << "a dim has no " << extent << " positions";
  return success();
}

//===-- #spmd.box ---------------------------------------------------------===//

LogicalResult BoxAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              nn::LayoutAttr layout, ArrayRef<CutAttr> cuts) {
  if (layout.isPlaced())
    return emitError() << "the layout of a box has no placement, found "
                       << layout;
  for (CutAttr cut : cuts) {
    ArrayRef<nn::DimAttr> dims = layout.getDims();
    if (cut.getDim() < 0 || cut.getDim() >= int64_t(dims.size()) ||
        cut.getFactor() < 0 ||
        cut.getFactor() >= int64_t(dims[cut.getDim()].getFactors().size()))
      return emitError() << "no factor " << cut.getDim() << "."
                         << cut.getFactor() << " to cut in " << layout;
  }
  return success();
}
