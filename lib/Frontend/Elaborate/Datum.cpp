//===- Datum.cpp - reading static values, looking up names ----------------===//

#include "Datum.h"

using namespace hocket;
using namespace hocket::frontend;

std::optional<int64_t> Datum::integer() const {
  if (auto *held = as<int64_t>())
    return *held;
  if (auto *dim = as<nn::DimAttr>())
    return dim->getSize();
  return std::nullopt;
}

std::optional<double> Datum::number() const {
  if (auto *held = as<double>())
    return *held;
  if (auto whole = integer())
    return static_cast<double>(*whole);
  return std::nullopt;
}

const char *Datum::kindName() const {
  static const char *const names[] = {
      "none",    "a bool",       "an int",       "a float",     "a string",
      "a dim",   "a tensor",     "a mask",       "a mesh axis", "a module",
      "a tuple", "an edge list", "ends of edges"};
  return names[value.index()];
}

const Datum *Scope::find(const std::string &name) const {
  for (const Scope *scope = this; scope; scope = scope->parent) {
    auto found = scope->names.find(name);
    if (found != scope->names.end())
      return &found->second;
  }
  return nullptr;
}

bool Scope::hasFailed(const std::string &name) const {
  for (const Scope *scope = this; scope; scope = scope->parent)
    if (scope->failed.count(name))
      return true;
  return false;
}

std::vector<std::string> Scope::visibleNames() const {
  std::vector<std::string> names;
  for (const Scope *scope = this; scope; scope = scope->parent)
    for (auto &entry : scope->names)
      names.push_back(entry.first);
  return names;
}
