//===- PlanWrite.cpp - plans as JSON text and as CBOR ---------------------===//

#include "PlanFields.h"
#include <cmath>
#include <nlohmann/json.hpp>

using Json = nlohmann::ordered_json;

namespace hocket::plan {
namespace {

struct Writer;
template <class T> Json write(const T &value);

bool isAbsent(const View &value, const View &) { return value.buffer < 0; }
bool isAbsent(const Dropout &value, const Dropout &) { return value.p == 0; }
bool isAbsent(const Scalar &value, const Scalar &) {
  return value.table < 0 && value.constant == 0;
}
bool isAbsent(const Recipe &value, const Recipe &) {
  return write(value).empty();
}
template <class T>
bool isAbsent(const std::vector<T> &value, const std::vector<T> &) {
  return value.empty();
}
template <class T>
bool isAbsent(const std::optional<T> &value, const std::optional<T> &) {
  return !value;
}
template <class T> bool isAbsent(const T &value, const T &absent) {
  return value == absent;
}

struct Writer {
  Json object = Json::object();
  template <class T> void required(const char *key, const T &value) {
    object[key] = write(value);
  }
  template <class T>
  void optional(const char *key, const T &value, const T &absent) {
    if (!isAbsent(value, absent))
      object[key] = write(value);
  }
};

Json writeLeaf(const std::string &value) { return value; }
Json writeLeaf(bool value) { return value; }
Json writeLeaf(int value) { return value; }
Json writeLeaf(int64_t value) { return value; }

/// JSON has no infinities, which masks need: they are written as words.
Json writeLeaf(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}

/// 5, or [constant, table, scale].
Json writeLeaf(const Scalar &value) {
  if (value.table < 0)
    return value.constant;
  return Json::array({value.constant, value.table, value.scale});
}

/// [buffer, offset, shape, strides] and, if there are any, terms.
Json writeLeaf(const View &value) {
  Json result = Json::array(
      {value.buffer, value.offset, write(value.shape), write(value.strides)});
  if (!value.terms.empty())
    result.push_back(write(value.terms));
  return result;
}

/// The kind alone; its fields are written beside the collective's.
Json writeLeaf(const decltype(Collective::kind) &value) {
  return words(CollectiveKind())[value.index()];
}

Json writeLeaf(const Instruction &value) {
  Writer writer;
  writer.object["op"] = instructionWords[value.body.index()];
  writer.optional("source", value.source, -1);
  std::visit(
      [&](const auto &body) {
        fields(writer, const_cast<std::decay_t<decltype(body)> &>(body));
      },
      value.body);
  writer.optional("workspace", value.workspace, {});
  return std::move(writer.object);
}

template <class T> Json writeLeaf(const std::vector<T> &values) {
  Json result = Json::array();
  for (const T &value : values)
    result.push_back(write(value));
  return result;
}

template <class T> Json writeLeaf(const std::optional<T> &value) {
  return write(*value);
}

/// Fields are visited by reference to non-const, because the reader needs it;
/// the writer changes nothing.
template <class T> Json writeFields(const T &value) {
  Writer writer;
  fields(writer, const_cast<T &>(value));
  return std::move(writer.object);
}

template <class T, class = void> struct HasFields : std::false_type {};
template <class T>
struct HasFields<T, std::void_t<decltype(fields(std::declval<Writer &>(),
                                                std::declval<T &>()))>>
    : std::true_type {};

template <class T> Json write(const T &value) {
  if constexpr (std::is_enum_v<T>)
    return words(T())[size_t(value)];
  else if constexpr (HasFields<T>::value)
    return writeFields(value);
  else
    return writeLeaf(value);
}

Json toDocument(const Plan &plan) {
  Writer writer;
  writer.object["version"] = Plan::version;
  fields(writer, const_cast<Plan &>(plan));
  return std::move(writer.object);
}

/// Prints `value` on one line where that fits, else one element a line. Only
/// as deep as a plan is.
void print(const Json &value, int indent, int depth, std::string &out) {
  constexpr size_t lineWidth = 120;
  std::string line = value.dump();
  if (!value.is_structured() || value.empty() ||
      line.size() + depth * indent <= lineWidth) {
    out += line;
    return;
  }
  std::string margin(size_t(indent) * (depth + 1), ' ');
  out += value.is_object() ? "{" : "[";
  bool first = true;
  for (auto item = value.begin(); item != value.end(); ++item) {
    out += first ? "\n" : ",\n";
    first = false;
    out += margin;
    if (value.is_object())
      out += Json(item.key()).dump() + ": ";
    print(*item, indent, depth + 1, out);
  }
  out += "\n" + std::string(size_t(indent) * depth, ' ');
  out += value.is_object() ? "}" : "]";
}

} // namespace

std::string toJson(const Plan &plan, int indent) {
  std::string text;
  print(toDocument(plan), indent, 0, text);
  text += '\n';
  return text;
}

std::vector<uint8_t> toCbor(const Plan &plan) {
  return Json::to_cbor(toDocument(plan));
}

} // namespace hocket::plan
