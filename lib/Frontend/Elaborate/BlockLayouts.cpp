//===- BlockLayouts.cpp - masks that are block-sparse layouts -------------===//

#include "Functions.h"
#include "hocket/Io/MappedFile.h"
#include "hocket/Io/Npy.h"
#include "llvm/Support/Path.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;
using plan::BlockLayout;
using plan::LayoutKind;

/// A function's name is that of its kind.
static BlockLayout defaultsOf(llvm::StringRef name) {
  BlockLayout layout;
  for (int kind = 0; kind <= int(LayoutKind::Listed); ++kind)
    if (name == plan::toString(LayoutKind(kind)))
      layout.kind = LayoutKind(kind);
  if (layout.kind == LayoutKind::BigBird)
    layout.random = 1;
  if (layout.kind == LayoutKind::LocalSlidingWindow)
    layout.unidirectional = true;
  return layout;
}

namespace {
/// Arguments that are given take the place of defaults; `good` tells whether
/// all could be read.
struct FieldReader {
  const CallArguments &arguments;
  bool good = true;

  template <class T, class Read>
  void readBy(const char *name, T &field, Read read) {
    const Expr *given = arguments.get(name);
    if (!given)
      return;
    if (auto value = read(*given))
      field = T(*value);
    else
      good = false;
  }
};
} // namespace

/// One expression, or what a tuple or a list holds.
static std::vector<const Expr *> itemsOf(const Expr &given) {
  std::vector<const Expr *> items;
  if (auto *tuple = dynAs<TupleExpr>(&given))
    for (const Argument &item : tuple->items)
      items.push_back(item.value.get());
  else if (auto *list = dynAs<ListExpr>(&given))
    for (const ExprPtr &item : list->items)
      items.push_back(item.get());
  else
    items.push_back(&given);
  return items;
}

static bool readFields(Elaborator &elaborator, const CallArguments &arguments,
                       const Scope &scope, BlockLayout &layout) {
  FieldReader reader{arguments};
  auto number = [&](const Expr &given) {
    return elaborator.evaluateInt(given, scope);
  };
  auto truth = [&](const Expr &given) {
    return elaborator.evaluateBool(given, scope);
  };
  auto list = [&](const Expr &given) -> std::optional<std::vector<int64_t>> {
    std::vector<int64_t> numbers;
    for (const Expr *item : itemsOf(given)) {
      auto value = elaborator.evaluateInt(*item, scope);
      if (!value)
        return std::nullopt;
      numbers.push_back(*value);
    }
    return numbers;
  };
  auto direction = [&](const Expr &given) -> std::optional<bool> {
    auto *word = dynAs<NameExpr>(&given);
    auto *text = dynAs<StringExpr>(&given);
    std::string name = word ? word->name : text ? text->value : std::string();
    if (name == "unidirectional" || name == "bidirectional")
      return name == "unidirectional";
    elaborator.error(given.range,
                     "attention is bidirectional or unidirectional, found '" +
                         elaborator.textOf(given.range) + "'");
    return std::nullopt;
  };
  bool isVariable = layout.kind == LayoutKind::Variable;
  bool hasGlobals = isVariable || layout.kind == LayoutKind::BSLongformer;
  reader.readBy("block", layout.block, number);
  reader.readBy("per_head", layout.perHead, truth);
  reader.readBy("attention", layout.unidirectional, direction);
  reader.readBy("horizontal", layout.horizontal, truth);
  reader.readBy("patterns", layout.patterns, number);
  reader.readBy("random", layout.random, number);
  reader.readBy("window", layout.window, number);
  reader.readBy("seed", layout.key, number);
  reader.readBy("global_end", layout.globalEnds, list);
  if (hasGlobals)
    reader.readBy("global", layout.globals, list);
  else
    reader.readBy("global", layout.global, number);
  if (isVariable)
    reader.readBy("local", layout.locals, list);
  else
    reader.readBy("local", layout.local, number);
  return reader.good;
}

/// [heads, nb, nb] of true and false to the runs of each row.
static void setRows(BlockLayout &layout, llvm::ArrayRef<uint8_t> values,
                    int64_t blocks) {
  layout.rows.resize(values.size() / std::max<int64_t>(blocks, 1));
  for (auto [number, row] : llvm::enumerate(layout.rows)) {
    llvm::ArrayRef<uint8_t> seen = values.slice(number * blocks, blocks);
    for (int64_t c = 0; c <= blocks; ++c)
      if ((c < blocks && seen[c]) != (row.size() % 2 == 1))
        row.push_back(c);
  }
}

/// `folder`: that of the file which names it.
static bool readFile(Elaborator &elaborator, const Expr &given,
                     const Scope &scope, llvm::StringRef folder,
                     BlockLayout &layout) {
  Elaborator::MaybeDatum datum = elaborator.evaluate(given, scope);
  if (!datum)
    return false;
  auto *file = datum->as<std::string>();
  if (!file) {
    elaborator.error(given.range,
                     std::string("'layout' takes the name of an .npy file, "
                                 "found ") +
                         datum->kindName());
    return false;
  }
  llvm::SmallString<128> path(*file);
  if (llvm::sys::path::is_relative(*file)) {
    path = folder;
    llvm::sys::path::append(path, *file);
  }
  runtime::MappedFile mapped;
  runtime::StoredTensor stored;
  std::string problem;
  if (!mapped.open(path.str().str(), "layout").ok()) {
    elaborator.error(given.range, "cannot read the layout '" + *file + "'")
        .note("it is looked for beside the file that names it");
    return false;
  }
  if (!runtime::parseNpy(mapped.data(), mapped.size(), stored, problem)) {
    elaborator.error(given.range, "the layout '" + *file + "' " + problem);
    return false;
  }
  const std::vector<int64_t> &dims = stored.dims;
  if (stored.type != runtime::FileType::Bool || dims.size() != 3 ||
      dims[1] != dims[2]) {
    elaborator.error(given.range,
                     "the layout '" + *file + "' holds " +
                         describeStored(stored) +
                         ", expected BOOL[heads or 1, blocks, blocks]");
    return false;
  }
  std::vector<uint8_t> values(dims[0] * dims[1] * dims[2]);
  runtime::Box box{dims, {0, 0, 0}, dims};
  (void)runtime::readStored(stored, *file, box, plan::DType::Bool,
                            values.data());
  layout.perHead = dims[0] != 1;
  setRows(layout, values, dims[1]);
  return true;
}

Elaborator::MaybeDatum
Elaborator::blockLayoutFunction(const CallArguments &arguments,
                                const Scope &scope) {
  const CallExpr &call = *arguments.call;
  BlockLayout layout = defaultsOf(dynAs<NameExpr>(call.callee)->name);
  llvm::StringRef folder =
      llvm::sys::path::parent_path(sources.getName(call.range.file));
  if (!readFields(*this, arguments, scope, layout) ||
      (layout.kind == LayoutKind::Listed &&
       !readFile(*this, *arguments.get("file"), scope, folder, layout)))
    return std::nullopt;
  std::string problem = layoutProblem(layout);
  if (!problem.empty()) {
    error(call.range, problem);
    return std::nullopt;
  }
  Mask mask;
  mask.layout = std::move(layout);
  return Datum(mask);
}
