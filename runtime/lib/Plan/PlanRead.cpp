//===- PlanRead.cpp - reading a plan, field by field ----------------------===//
//
// The document may come from anywhere, so nothing in it is taken on trust: the
// nesting is bounded before it is parsed, every field must be there with its
// type, none may be unknown, and check() looks at what the fields mean.
//
//===----------------------------------------------------------------------===//

#include "PlanFields.h"
#include "hocket/Plan/Check.h"
#include <limits>
#include <nlohmann/json.hpp>

using nlohmann::json;

namespace hocket::plan {
namespace {

/// Thrown by a node that is not as it must be; never leaves this file.
struct Malformed {
  std::string message;
};

/// A value of the document and the way to it, spelled only for an error.
class Node {
public:
  explicit Node(const json &value) : value(value) {}
  Node(const json &value, const Node &parent, const char *key, size_t index = 0)
      : value(value), parent(&parent), key(key), index(index) {}

  [[noreturn]] void fail(const std::string &message) const {
    std::string where = path();
    throw Malformed{(where.empty() ? "" : where + ": ") + message};
  }
  [[noreturn]] void failType(const char *expected) const {
    fail(std::string("expected ") + expected + ", found " + value.type_name());
  }

  const json &value;

private:
  std::string path() const {
    if (!parent)
      return "";
    std::string front = parent->path();
    if (!key)
      return front + "[" + std::to_string(index) + "]";
    return front.empty() ? key : front + "." + key;
  }

  const Node *parent = nullptr;
  const char *key = nullptr;
  size_t index = 0;
};

template <class T> void read(const Node &node, T &out);

/// Visits the fields of one object and notices those nobody asked for.
class Reader {
public:
  explicit Reader(const Node &node) : node(node) {
    if (!node.value.is_object())
      node.failType("an object");
  }

  template <class T> void required(const char *key, T &out) {
    auto found = node.value.find(key);
    if (found == node.value.end())
      node.fail(std::string("field '") + key + "' is missing");
    seen.push_back(key);
    read(Node(*found, node, key), out);
  }

  template <class T> void optional(const char *key, T &out, const T &absent) {
    out = absent;
    if (node.value.contains(key))
      required(key, out);
  }

  void finish() {
    if (seen.size() == node.value.size())
      return;
    for (auto item = node.value.begin(); item != node.value.end(); ++item)
      if (std::find(seen.begin(), seen.end(), item.key()) == seen.end())
        node.fail("unknown field '" + item.key() + "'");
  }

private:
  const Node &node;
  std::vector<std::string> seen;
};

void readLeaf(const Node &node, std::string &out) {
  if (!node.value.is_string())
    node.failType("a string");
  out = node.value.get_ref<const std::string &>();
}

void readLeaf(const Node &node, bool &out) {
  if (!node.value.is_boolean())
    node.failType("true or false");
  out = node.value.get<bool>();
}

void readLeaf(const Node &node, int64_t &out) {
  if (!node.value.is_number_integer())
    node.failType("an integer");
  if (node.value.is_number_unsigned() &&
      node.value.get<uint64_t>() > uint64_t(INT64_MAX))
    node.fail("integer " + node.value.dump() + " does not fit in 64 bits");
  out = node.value.get<int64_t>();
}

void readLeaf(const Node &node, int &out) {
  int64_t wide = 0;
  readLeaf(node, wide);
  if (wide < INT32_MIN || wide > INT32_MAX)
    node.fail("integer " + std::to_string(wide) + " does not fit in 32 bits");
  out = int(wide);
}

void readLeaf(const Node &node, double &out) {
  if (node.value == "inf" || node.value == "-inf") {
    out = std::numeric_limits<double>::infinity();
    if (node.value == "-inf")
      out = -out;
  } else if (node.value == "nan") {
    out = std::numeric_limits<double>::quiet_NaN();
  } else if (node.value.is_number()) {
    out = node.value.get<double>();
  } else {
    node.failType("a number, \"inf\", \"-inf\" or \"nan\"");
  }
}

template <class T> void readLeaf(const Node &node, std::vector<T> &out) {
  if (!node.value.is_array())
    node.failType("an array");
  out.clear();
  out.reserve(node.value.size());
  for (size_t i = 0; i < node.value.size(); ++i) {
    out.emplace_back();
    read(Node(node.value[i], node, nullptr, i), out.back());
  }
}

template <class T> void readLeaf(const Node &node, std::optional<T> &out) {
  read(node, out.emplace());
}

/// The i-th element of an array that stands for a struct.
template <class T> void readAt(const Node &node, size_t i, T &out) {
  read(Node(node.value[i], node, nullptr, i), out);
}

void readLeaf(const Node &node, Scalar &out) {
  out = Scalar();
  if (!node.value.is_array())
    return readLeaf(node, out.constant);
  if (node.value.size() != 3)
    node.fail("expected an integer or [constant, table, scale], found an "
              "array of " +
              std::to_string(node.value.size()));
  readAt(node, 0, out.constant);
  readAt(node, 1, out.table);
  readAt(node, 2, out.scale);
  if (out.table < 0)
    node.fail("table " + std::to_string(out.table) + " does not exist");
}

void readLeaf(const Node &node, View &out) {
  if (!node.value.is_array())
    node.failType("a view, [buffer, offset, shape, strides, terms?]");
  size_t size = node.value.size();
  if (size != 4 && size != 5)
    node.fail("expected a view, [buffer, offset, shape, strides, terms?], "
              "found an array of " +
              std::to_string(size));
  out = View();
  readAt(node, 0, out.buffer);
  readAt(node, 1, out.offset);
  readAt(node, 2, out.shape);
  readAt(node, 3, out.strides);
  if (size == 5)
    readAt(node, 4, out.terms);
}

/// Puts the empty alternative that `names` calls `word` into `out`; false if
/// there is none.
template <class Variant, class Names, size_t... I>
bool emplace(Variant &out, const Names &names, const std::string &word,
             std::index_sequence<I...>) {
  return ((word == names[I] && (out.template emplace<I>(), true)) || ...);
}
template <class Variant, class Names>
bool emplace(Variant &out, const Names &names, const std::string &word) {
  static_assert(std::variant_size_v<Variant> == std::tuple_size_v<Names>);
  return emplace(out, names, word,
                 std::make_index_sequence<std::variant_size_v<Variant>>());
}

template <class Names>
[[noreturn]] void failWord(const Node &node, const Names &names,
                           const std::string &word) {
  std::string all;
  for (const char *name : names)
    all += (all.empty() ? "" : ", ") + std::string(name);
  node.fail("expected one of " + all + ", found '" + word + "'");
}

/// The kind alone; its fields are read beside the collective's.
void readLeaf(const Node &node, decltype(Collective::kind) &out) {
  std::string word;
  readLeaf(node, word);
  if (!emplace(out, words(CollectiveKind()), word))
    failWord(node, words(CollectiveKind()), word);
}

void readLeaf(const Node &node, Instruction &out) {
  Reader reader(node);
  std::string op;
  reader.required("op", op);
  if (!emplace(out.body, instructionWords, op))
    node.fail("unknown instruction '" + op + "'");
  reader.optional("source", out.source, -1);
  std::visit([&](auto &body) { fields(reader, body); }, out.body);
  reader.optional("workspace", out.workspace, {});
  reader.finish();
}

template <class E> void readWord(const Node &node, E &out) {
  std::string word;
  readLeaf(node, word);
  for (size_t i = 0; i < words(E()).size(); ++i)
    if (word == words(E())[i]) {
      out = E(i);
      return;
    }
  failWord(node, words(E()), word);
}

template <class T, class = void> struct HasFields : std::false_type {};
template <class T>
struct HasFields<T, std::void_t<decltype(fields(std::declval<Reader &>(),
                                                std::declval<T &>()))>>
    : std::true_type {};

template <class T> void read(const Node &node, T &out) {
  if constexpr (std::is_enum_v<T>) {
    readWord(node, out);
  } else if constexpr (HasFields<T>::value) {
    Reader reader(node);
    fields(reader, out);
    reader.finish();
  } else {
    readLeaf(node, out);
  }
}

bool readDocument(const json &document, Plan &plan, std::string &error) {
  Plan result;
  try {
    Node node(document);
    Reader reader(node);
    int64_t version = 0;
    reader.required("version", version);
    if (version != Plan::version)
      node.fail("version " + std::to_string(version) +
                " is not known, expected " + std::to_string(Plan::version));
    fields(reader, result);
    reader.finish();
  } catch (const Malformed &malformed) {
    error = "plan: " + malformed.message;
    return false;
  }
  if (!check(result, error)) {
    error = "plan: " + error;
    return false;
  }
  plan = std::move(result);
  return true;
}

/// Accepts any document whose nesting is no deeper than a plan's, because the
/// CBOR parser recurses; keeps the parser's own message.
struct DepthGuard : nlohmann::json_sax<json> {
  static constexpr int limit = 32;
  int depth = 0;
  std::string message;

  bool enter() {
    if (++depth <= limit)
      return true;
    message = "nested more than " + std::to_string(limit) + " deep";
    return false;
  }
  bool leave() { return --depth, true; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool key(string_t &) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    message = "malformed at byte " + std::to_string(position);
    return false;
  }
};

} // namespace

bool fromJson(const std::string &text, Plan &plan, std::string &error) {
  DepthGuard guard;
  if (!json::sax_parse(text, &guard)) {
    error = "plan: JSON is " + guard.message;
    return false;
  }
  return readDocument(json::parse(text, nullptr, false), plan, error);
}

bool fromCbor(const uint8_t *data, size_t size, Plan &plan,
              std::string &error) {
  DepthGuard guard;
  if (!json::sax_parse(data, data + size, &guard,
                       nlohmann::detail::input_format_t::cbor)) {
    error = "plan: CBOR is " + guard.message;
    return false;
  }
  return readDocument(json::from_cbor(data, data + size, true, false), plan,
                      error);
}

} // namespace hocket::plan
