//===- BlockLayouts.cpp - a block layout as an attribute ------------------===//

#include "dialects/Nn/BlockLayouts.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket;
using plan::BlockLayout;

namespace {

using Lists = std::vector<std::vector<int64_t>>;

using Kind = plan::LayoutKind;

/// Calls `visit(name, field, isOfKind)` for all fields but the kind.
template <class Visitor> void visitFields(Visitor &visit, BlockLayout &x) {
  auto of = [&](std::initializer_list<Kind> kinds) {
    return llvm::is_contained(kinds, x.kind);
  };
  bool isDrawn = of({Kind::Variable, Kind::BigBird});
  bool isGlobal = of({Kind::Variable, Kind::BSLongformer});
  visit("block", x.block, true);
  visit("per_head", x.perHead, true);
  visit("unidirectional", x.unidirectional, !of({Kind::Dense, Kind::Listed}));
  visit("local", x.local, of({Kind::Fixed}));
  visit("global", x.global, of({Kind::Fixed, Kind::BigBird}));
  visit("horizontal", x.horizontal, of({Kind::Fixed, Kind::Variable}));
  visit("patterns", x.patterns, of({Kind::Fixed}));
  visit("random", x.random, isDrawn);
  visit("window", x.window,
        of({Kind::BigBird, Kind::BSLongformer, Kind::LocalSlidingWindow}));
  visit("locals", x.locals, of({Kind::Variable}));
  visit("globals", x.globals, isGlobal);
  visit("global_ends", x.globalEnds, isGlobal);
  visit("key", x.key, isDrawn);
  visit("rows", x.rows, of({Kind::Listed}));
}

struct Writer {
  Builder builder;
  SmallVector<NamedAttribute> list;

  Attribute write(bool value) { return builder.getBoolAttr(value); }
  Attribute write(int64_t value) { return builder.getI64IntegerAttr(value); }
  Attribute write(const std::vector<int64_t> &value) {
    return builder.getDenseI64ArrayAttr(value);
  }
  Attribute write(const Lists &value) {
    SmallVector<Attribute> rows;
    for (const std::vector<int64_t> &row : value)
      rows.push_back(write(row));
    return builder.getArrayAttr(rows);
  }
  template <class T>
  void operator()(StringRef name, const T &value, bool isOfKind) {
    if (isOfKind)
      list.push_back(builder.getNamedAttr(name, write(value)));
  }
};

/// Writes the parameters as the language calls them.
struct Parameters {
  std::string text;

  void add(const std::string &parameter) {
    text += (text.empty() ? "" : ", ") + parameter;
  }
  void write(StringRef name, bool value) {
    if (name == "unidirectional")
      add(std::string("attention = ") +
          (value ? "unidirectional" : "bidirectional"));
    else if (value)
      add(name.str() + " = true");
  }
  void write(StringRef name, int64_t value) {
    if (name != "key")
      add(name.str() + " = " + std::to_string(value));
  }
  void write(StringRef name, const std::vector<int64_t> &values) {
    if (values.empty())
      return;
    // locals, globals and global_ends have a parameter of their kind each.
    auto number = [](int64_t value) { return std::to_string(value); };
    std::string list = llvm::join(llvm::map_range(values, number), ", ");
    add(name.drop_back().str() + " = " +
        (values.size() == 1 ? list : "(" + list + ")"));
  }
  void write(StringRef, const Lists &) {}
  template <class T>
  void operator()(StringRef name, const T &value, bool isOfKind) {
    if (isOfKind)
      write(name, value);
  }
};

struct Reader {
  DictionaryAttr attribute;
  size_t read = 0;
  std::string problem = {};

  static bool get(Attribute given, bool &value) {
    auto flag = dyn_cast<BoolAttr>(given);
    value = flag && flag.getValue();
    return bool(flag);
  }
  static bool get(Attribute given, int64_t &value) {
    auto number = dyn_cast<IntegerAttr>(given);
    if (!number || !number.getType().isInteger(64))
      return false;
    value = number.getInt();
    return true;
  }
  static bool get(Attribute given, std::vector<int64_t> &value) {
    auto numbers = dyn_cast<DenseI64ArrayAttr>(given);
    if (numbers)
      value = numbers.asArrayRef().vec();
    return bool(numbers);
  }
  static bool get(Attribute given, Lists &value) {
    auto rows = dyn_cast<ArrayAttr>(given);
    for (Attribute row : rows ? rows.getValue() : ArrayRef<Attribute>())
      if (!get(row, value.emplace_back()))
        return false;
    return bool(rows);
  }
  template <class T> void operator()(StringRef name, T &value, bool isOfKind) {
    Attribute given = attribute.get(name);
    if (!isOfKind)
      return;
    ++read;
    if (!given)
      problem = "its block layout lacks '" + name.str() + "'";
    else if (!get(given, value))
      problem = "'" + name.str() + "' of its block layout is of a wrong type";
  }
};

} // namespace

static std::optional<plan::LayoutKind> kindOf(DictionaryAttr attribute) {
  auto word = attribute.getAs<StringAttr>("kind");
  for (int kind = 0; kind <= int(plan::LayoutKind::Listed); ++kind)
    if (word && word.getValue() == toString(plan::LayoutKind(kind)))
      return plan::LayoutKind(kind);
  return std::nullopt;
}

/// Leaves in `problem` what is not a field, or not of its type.
static BlockLayout readLayout(DictionaryAttr attribute, std::string &problem) {
  BlockLayout layout;
  std::optional<plan::LayoutKind> kind = kindOf(attribute);
  if (!kind) {
    problem = "its block layout has no kind that there is";
    return layout;
  }
  layout.kind = *kind;
  Reader reader{attribute, 1};
  visitFields(reader, layout);
  problem = reader.problem;
  if (problem.empty() && reader.read != attribute.size())
    problem = "its block layout has a field that there is not";
  return layout;
}

std::string nn::layoutText(const BlockLayout &layout) {
  Parameters parameters;
  BlockLayout copy = layout;
  visitFields(parameters, copy);
  return toString(layout.kind) + ("(" + parameters.text + ")");
}

DictionaryAttr nn::blockLayoutAttr(MLIRContext *context,
                                   const BlockLayout &layout) {
  Writer writer{Builder(context), {}};
  writer.list.push_back(writer.builder.getNamedAttr(
      "kind", writer.builder.getStringAttr(toString(layout.kind))));
  BlockLayout copy = layout;
  visitFields(writer, copy);
  return writer.builder.getDictionaryAttr(writer.list);
}

std::optional<BlockLayout> nn::blockLayoutOf(DictionaryAttr attribute) {
  std::string problem;
  return attribute && !attribute.empty()
             ? std::optional(readLayout(attribute, problem))
             : std::nullopt;
}

LogicalResult nn::verifyBlockLayout(std::optional<Location> location,
                                    DictionaryAttr attribute,
                                    const BlockLayoutSizes &sizes) {
  if (!attribute || attribute.empty())
    return success();
  std::string problem;
  BlockLayout layout = readLayout(attribute, problem);
  if (problem.empty() && sizes.queries != sizes.keys)
    problem = "a block layout is of as many queries as keys, but there are " +
              std::to_string(sizes.queries) + " and " +
              std::to_string(sizes.keys);
  if (problem.empty())
    problem = layoutProblem(layout, sizes.keys, sizes.heads);
  if (problem.empty())
    return success();
  return emitOptionalError(location,
                           "attention has a wrong block layout: ", problem);
}
