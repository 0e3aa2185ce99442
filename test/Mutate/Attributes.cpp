//===- Attributes.cpp - dumps that forget or change an attribute ----------===//

#include "Attributes.h"
#include "Mutations.h"
#include "hocket/Pipeline/Compiler.h"
#include "hocket/Plan/Plan.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace mlir;
using namespace hocket;
using namespace hocket::mutate;

namespace {
/// Pieces of text of which some are whole numbers.
struct Numbered {
  std::vector<Piece> pieces;
  std::vector<size_t> integers; // among them
};
} // namespace

static bool isInteger(const std::vector<Piece> &pieces, size_t at) {
  const Piece &piece = pieces[at];
  if (piece.kind != Piece::Number || !llvm::all_of(piece.text, llvm::isDigit))
    return false;
  auto touches = [&](size_t other) { // 1 . 000000 e
    return other < pieces.size() && pieces[other].text == ".";
  };
  return !touches(at + 1) && !touches(at - 1);
}

static Numbered numbered(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  Numbered result{split(text), {}};
  if (isa<TypeAttr>(attribute) || text.find("loc(") != std::string::npos)
    return result;
  for (size_t at = 0; at < result.pieces.size(); ++at)
    if (isInteger(result.pieces, at))
      result.integers.push_back(at);
  // Of a long list, as many from end to end.
  if (result.integers.size() > size_t(kMostIntegers)) {
    std::vector<size_t> some;
    for (int64_t i = 0; i < kMostIntegers; ++i)
      some.push_back(result.integers[i * (result.integers.size() - 1) /
                                     (kMostIntegers - 1)]);
    result.integers = some;
  }
  return result;
}

//===-- Places ------------------------------------------------------------===//

/// An attribute, or entries of dictionaries in it, under their names.
static void eachEntry(StringRef name, Attribute attribute,
                      llvm::function_ref<void(StringRef, Attribute)> take) {
  take(name, attribute);
  if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    for (Attribute each : list)
      if (isa<DictionaryAttr>(each))
        for (NamedAttribute entry : cast<DictionaryAttr>(each))
          take((name + "." + entry.getName().getValue()).str(),
               entry.getValue());
  } else if (auto entries = dyn_cast<DictionaryAttr>(attribute)) {
    for (NamedAttribute entry : entries)
      take((name + "." + entry.getName().getValue()).str(), entry.getValue());
  }
}

static bool load(Compiler &compiler, const std::string &stage,
                 const std::string &dump) {
  CompileSource source;
  source.path = "dump";
  source.text = dump;
  source.from = stage;
  compiler.skipReport();
  return compiler.load(source);
}

std::vector<AttributePlace> mutate::attributesOf(const std::string &stage,
                                                 const std::string &dump) {
  Compiler compiler(llvm::errs());
  std::map<std::string, AttributePlace> found;
  if (!load(compiler, stage, dump))
    return {};
  int64_t number = 0;
  compiler.module()->walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrDictionary()) {
      bool isInherent = op->getInherentAttr(attribute.getName()).has_value();
      eachEntry(attribute.getName(), attribute.getValue(),
                [&](StringRef name, Attribute value) {
                  AttributePlace place{stage,
                                       op->getName().getStringRef().str(),
                                       name.str(), isInherent};
                  place.number = number;
                  place.integers = numbered(value).integers.size();
                  auto [known, isNew] = found.try_emplace(place.key(), place);
                  if (!isNew && place.integers > known->second.integers)
                    known->second = place;
                });
    }
    ++number;
  });
  std::vector<AttributePlace> places;
  for (auto &[key, place] : found)
    places.push_back(place);
  return places;
}

//===-- Changes -----------------------------------------------------------===//

/// The attribute with one integer larger; null where that is none.
static Attribute larger(Attribute attribute, int64_t integer) {
  Numbered text = numbered(attribute);
  Piece &piece = text.pieces[text.integers[integer]];
  piece.text = std::to_string(std::stoll(piece.text) + 1);
  return parseAttribute(join(text.pieces), attribute.getContext());
}

/// `attribute`, of which the entry `path` (empty: all of it) is deleted or
/// changed; null if it is deleted, or is none. A list has the entry that has as
/// many integers as the place.
static Attribute without(Attribute attribute, StringRef path, int64_t integer,
                         const AttributePlace &place) {
  if (path.empty())
    return integer < 0 ? Attribute() : larger(attribute, integer);
  auto inDictionary = [&](DictionaryAttr entries) -> Attribute {
    NamedAttrList list(entries);
    Attribute entry =
        integer < 0 ? Attribute() : larger(entries.get(path), integer);
    if (integer >= 0 && !entry)
      return {};
    if (entry)
      list.set(path, entry);
    else
      list.erase(path);
    return list.getDictionary(attribute.getContext());
  };
  if (auto entries = dyn_cast<DictionaryAttr>(attribute))
    return inDictionary(entries);
  SmallVector<Attribute> list(cast<ArrayAttr>(attribute).getValue());
  for (Attribute &each : list) {
    auto entries = dyn_cast<DictionaryAttr>(each);
    Attribute entry = entries ? entries.get(path) : Attribute();
    if (!entry || int64_t(numbered(entry).integers.size()) != place.integers)
      continue;
    each = inDictionary(entries);
    return each ? Attribute(ArrayAttr::get(attribute.getContext(), list))
                : Attribute();
  }
  return {};
}

std::string mutate::changed(const AttributePlace &place,
                            const std::string &dump, int64_t integer) {
  Compiler compiler(llvm::errs());
  if (!load(compiler, place.stage, dump))
    return "";
  int64_t number = 0;
  bool isGood = true;
  compiler.module()->walk([&](Operation *op) {
    if (number++ != place.number)
      return;
    // The longest name of an attribute that the place's begins with.
    StringRef name, path;
    for (NamedAttribute attribute : op->getAttrDictionary()) {
      StringRef whole = place.name, own = attribute.getName().getValue();
      if (whole == own || whole.starts_with((own + ".").str())) {
        if (own.size() <= name.size())
          continue;
        name = own;
        path = whole.drop_front(std::min(whole.size(), own.size() + 1));
      }
    }
    Attribute value = without(op->getAttr(name), path, integer, place);
    isGood = value || (integer < 0 && path.empty());
    if (value)
      op->setAttr(name, value);
    else
      op->removeAttr(name);
  });
  if (!isGood)
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.printGenericOpForm();
  flags.enableDebugInfo(true, /*prettyForm=*/false);
  compiler.module()->print(stream, flags);
  return text;
}

std::string mutate::planOf(const std::string &stage, const std::string &dump) {
  Compiler compiler(llvm::errs());
  if (!load(compiler, stage, dump))
    return "";
  std::optional<plan::Plan> plan = compiler.makePlan(/*keepsKernels=*/true);
  return plan ? plan::toJson(*plan) : "";
}
