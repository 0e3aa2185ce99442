//===- Aliases.cpp - speaking names in printed stages ---------------------===//

#include "Aliases.h"
#include "dialects/Spmd/Spmd.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace hocket;

/// The words as one name, which begins with a letter and does not end with a
/// digit, as MLIR wants it.
static std::string nameOf(ArrayRef<std::string> words) {
  std::string name = llvm::join(words, "_");
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  if (name.empty() || !llvm::isAlpha(name.front()))
    name = "of_" + name;
  if (llvm::isDigit(name.back()))
    name += "_";
  return name;
}

static std::string factorName(nn::FactorAttr factor) {
  return factor.getName().empty() ? std::to_string(factor.getSize())
                                  : factor.getName().str();
}

/// "batch", "seq", "tp_by_seq".
static std::vector<std::string> wordsOf(nn::LayoutAttr layout) {
  std::vector<std::string> words;
  for (nn::DimAttr dim : layout.getDims())
    for (nn::FactorAttr factor : dim.getFactors())
      words.push_back(factorName(factor));
  if (words.empty())
    words.push_back("scalar");
  for (nn::SplitAttr split : layout.getSplits())
    words.push_back(
        split.getAxis().str() + "_by_" +
        factorName(
            layout.getDims()[split.getDim()].getFactors()[split.getFactor()]));
  for (nn::PartialAttr partial : layout.getPartials())
    words.push_back(partial.getAxis().str() + "_" +
                    stringifyReduction(partial.getReduction()).str());
  return words;
}

static std::string elementText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The line of a schedule that made an operation, which is fused with the
/// model's; null for others.
static FileLineColLoc madeBy(Attribute attr) {
  auto fused = dyn_cast<FusedLoc>(attr);
  if (!fused || fused.getLocations().size() < 2)
    return {};
  Location line = fused.getLocations().back();
  while (auto call = dyn_cast<CallSiteLoc>(line))
    line = call.getCaller();
  return dyn_cast<FileLineColLoc>(line);
}

namespace {
struct Aliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (auto layout = dyn_cast<nn::LayoutAttr>(attr))
      return name(wordsOf(layout), os);
    if (auto box = dyn_cast<spmd::BoxAttr>(attr)) {
      std::vector<std::string> words = wordsOf(box.getLayout());
      words.insert(words.begin(), "box");
      return name(words, os);
    }
    auto table = dyn_cast<spmd::TableAttr>(attr);
    if (table && !table.isConstant()) {
      std::vector<std::string> words{"by"};
      for (StringAttr axis : table.getAxes())
        words.push_back(axis.str());
      return name(words, os);
    }
    if (FileLineColLoc line = madeBy(attr))
      return name(
          {"line", std::to_string(line.getLine()), "of",
           llvm::sys::path::filename(line.getFilename().getValue()).str()},
          os);
    return AliasResult::NoAlias;
  }

  AliasResult getAlias(Type type, raw_ostream &os) const override {
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto layout = tensor
                      ? dyn_cast_or_null<nn::LayoutAttr>(tensor.getEncoding())
                      : nn::LayoutAttr();
    if (!layout)
      return AliasResult::NoAlias;
    std::vector<std::string> words = wordsOf(layout);
    words.insert(words.begin(), elementText(tensor.getElementType()));
    return name(words, os);
  }

private:
  static AliasResult name(ArrayRef<std::string> words, raw_ostream &os) {
    os << nameOf(words);
    return AliasResult::FinalAlias;
  }
};
} // namespace

void hocket::addAliases(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, nn::NnDialect *dialect) {
    dialect->addInterfaces<Aliases>();
  });
}
