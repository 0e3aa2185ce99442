//===- BorderText.cpp - the text of borders -------------------------------===//

#include "dialects/Nn/Nn.h"
#include "dialects/Nn/Window.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket::nn;

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
