//===- TensorCheck.cpp - whether a source has what a plan wants -----------===//

#include "hocket/Io/TensorCheck.h"
#include "hocket/Io/StoredTensors.h"
#include "hocket/Runtime/Executor.h"
#include <algorithm>
#include <cctype>
#include <set>

namespace hocket::runtime {

namespace {

constexpr size_t mostLines = 5;

/// Edits (insert, remove, replace a character) from `a` to `b`.
size_t editDistance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

bool isBelow(const std::string &longer, const std::string &end) {
  return longer.size() > end.size() + 1 &&
         longer.compare(longer.size() - end.size(), end.size(), end) == 0 &&
         longer[longer.size() - end.size() - 1] == '.';
}

/// The lines of a list of faults, the first few of them.
Status joinFaults(const std::vector<std::string> &faults) {
  if (faults.empty())
    return Status::success();
  std::string text;
  for (size_t i = 0; i < faults.size() && i < mostLines; ++i)
    text += (i ? "\n" : "") + faults[i];
  if (faults.size() > mostLines)
    text += "\nand " + std::to_string(faults.size() - mostLines) +
            " more faults of this kind";
  return Status::userError(text);
}

} // namespace

std::string spell(plan::DType type, const std::vector<int64_t> &dims) {
  std::string text = std::string(plan::toString(type)) + " [";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

std::string nearestName(const std::string &name,
                        const std::vector<std::string> &names) {
  // The same path under a prefix is the likeliest slip of all.
  for (const std::string &other : names)
    if (isBelow(other, name) || isBelow(name, other))
      return other;
  std::string best;
  size_t bestDistance = std::max<size_t>(2, name.size() / 4) + 1;
  for (const std::string &other : names) {
    size_t longer = std::max(name.size(), other.size());
    size_t shorter = std::min(name.size(), other.size());
    if (longer - shorter >= bestDistance)
      continue;
    size_t distance = editDistance(name, other);
    if (distance < bestDistance) {
      best = other;
      bestDistance = distance;
    }
  }
  return best;
}

namespace {

/// The type as it is stored where that says more than the plan's types do.
std::string spellFound(const TensorSource &source, const std::string &tensor,
                       const TensorDescription &found) {
  auto *held = dynamic_cast<const StoredTensors *>(&source);
  const StoredTensor *stored = held ? held->find(tensor) : nullptr;
  std::string text = spell(found.type, found.dims);
  if (!stored)
    return text;
  std::string word = toString(stored->type);
  for (char &c : word)
    c = char(std::tolower(c));
  return word + text.substr(text.find(' '));
}

/// What to do about a parameter, or an input, whose nearest name is `near`.
std::string wayOut(const std::string &name, const std::string &near,
                   bool isInput) {
  if (near.empty())
    return "";
  if (isInput || !isBelow(near, name))
    return "; did you mean '" + near + "'?";
  std::string prefix = near.substr(0, near.size() - name.size());
  return "; there is '" + near + "': give --rename '" + prefix +
         "**=**', or add to the model: prefix \"" + prefix + "\"";
}

/// `places[i]` is the model's line of `wanted[i]`, or empty.
Status checkTensors(const std::vector<plan::GlobalTensor> &wanted,
                    const std::vector<std::string> &places,
                    const TensorSource &source,
                    const std::vector<std::string> &available) {
  std::vector<std::string> faults;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const plan::GlobalTensor &tensor = wanted[i];
    TensorDescription found;
    std::string expected = ", expected " + spell(tensor.type, tensor.dims);
    if (!places[i].empty())
      expected += " (" + places[i] + ")";
    if (!source.describe(tensor.name, found)) {
      std::string near;
      if (faults.size() < mostLines)
        near = nearestName(tensor.name, available);
      faults.push_back(source.name() + " has no tensor '" + tensor.name + "'" +
                       expected + wayOut(tensor.name, near, places[i].empty()));
    } else if (found.dims != tensor.dims ||
               !isReadable(found.type, tensor.type)) {
      faults.push_back(source.name() + ": tensor '" + tensor.name + "' is " +
                       spellFound(source, tensor.name, found) + expected);
    }
  }
  return joinFaults(faults);
}

Status checkNoExtras(const plan::Plan &plan, const TensorSource &source,
                     const std::vector<std::string> &available) {
  std::set<std::string> used;
  for (const plan::GlobalTensor &tensor : plan.parameters)
    used.insert(tensor.name);
  std::vector<std::string> extras;
  for (const std::string &name : available) {
    bool covered = used.count(name) != 0;
    for (size_t i = 0; i < plan.ignored.size() && !covered; ++i)
      covered = coversPath(plan.ignored[i], name);
    if (!covered)
      extras.push_back(name);
  }
  if (extras.empty())
    return Status::success();
  std::string names, patterns;
  for (size_t i = 0; i < extras.size() && i < mostLines; ++i) {
    names += (i ? ", '" : "'") + extras[i] + "'";
    patterns += (i ? ", \"" : "\"") + extras[i] + "\"";
  }
  if (extras.size() > mostLines)
    names += " and " + std::to_string(extras.size() - mostLines) + " more";
  return Status::userError(
      source.name() + " has " + std::to_string(extras.size()) +
      (extras.size() == 1 ? " tensor" : " tensors") +
      " that the model does not use: " + names +
      "; to leave them unread, add to the model: ignore " + patterns);
}

} // namespace

NameMap nameMap(const plan::Plan &plan, const std::vector<RenameRule> &rules) {
  NameMap map{rules, plan.prefixes, {}};
  for (const plan::GlobalTensor &tensor : plan.parameters)
    map.own.insert(tensor.name);
  return map;
}

Status checkParameters(const plan::Plan &plan, const TensorSource &source,
                       const std::vector<std::string> &available) {
  std::vector<std::string> places(plan.parameters.size());
  for (const plan::RankClass &rankClass : plan.classes)
    for (const plan::Instruction &instruction : rankClass.load)
      if (auto *read = std::get_if<plan::ReadParameter>(&instruction.body))
        if (instruction.source >= 0)
          places[read->tensor] = plan.sources[instruction.source].model;
  Status status = checkTensors(plan.parameters, places, source, available);
  return status.ok() ? checkNoExtras(plan, source, available) : status;
}

Status checkInputs(const plan::Plan &plan, const TensorSource &source,
                   const std::vector<std::string> &available) {
  std::vector<std::string> places(plan.inputs.size());
  return checkTensors(plan.inputs, places, source, available);
}

} // namespace hocket::runtime
