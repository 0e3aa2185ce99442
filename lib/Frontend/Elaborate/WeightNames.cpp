//===- WeightNames.cpp - names in files of weights ------------------------===//

#include "WeightNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace hocket::syntax;

namespace hocket::frontend {

/// Whether `text` is names with a dot between two.
static bool isPath(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> names;
  text.split(names, '.');
  return llvm::all_of(names, [](llvm::StringRef name) {
    return !name.empty() && llvm::all_of(name, [](char c) {
      return llvm::isAlnum(c) || c == '_' || c == '-';
    });
  });
}

static bool checkPrefix(const IgnoreItem::Entry &entry,
                        DiagnosticEngine &diagnostics) {
  llvm::StringRef path = entry.text;
  bool hasDot = path.consume_back(".");
  if (isPath(path) && hasDot)
    return true;
  Diagnostic &fault =
      diagnostics.error(entry.range, "a prefix is a path and a dot, found \"" +
                                         entry.text + "\"");
  if (isPath(path))
    fault.note("write prefix \"" + entry.text + ".\"");
  else
    fault.note("to call tensors otherwise by a pattern, run the program with "
               "--rename FROM=TO");
  return false;
}

bool checkWeightNames(const Item &item, const ModuleDecl &decl,
                      DiagnosticEngine &diagnostics) {
  bool isPrefix = item.kind == Item::Kind::Prefix;
  if (!isPrefix && item.kind != Item::Kind::Ignore)
    return true;
  if (!decl.isModel) {
    diagnostics
        .error(item.range, std::string(isPrefix ? "'prefix'" : "'ignore'") +
                               " is about all names of a file of weights, "
                               "found in module '" +
                               decl.name.text + "'")
        .note("write it in the model");
    return false;
  }
  return !isPrefix ||
         llvm::all_of(static_cast<const PrefixItem &>(item).entries,
                      [&](const IgnoreItem::Entry &entry) {
                        return checkPrefix(entry, diagnostics);
                      });
}

} // namespace hocket::frontend
