//===- ResumeCheck.cpp - whether a program goes on from a checkpoint ------===//

#include "hocket/Io/TensorCheck.h"
#include "hocket/Plan/Layouts.h"
#include "hocket/Training/Checkpoint.h"
#include <algorithm>
#include <set>

namespace hocket::runtime {

namespace {

using Names = std::vector<std::string>;

Names namesOf(const std::vector<plan::GlobalTensor> &tensors) {
  Names names;
  for (const plan::GlobalTensor &tensor : tensors)
    names.push_back(tensor.name);
  std::sort(names.begin(), names.end());
  return names;
}

/// What `all` has and `some` has not; both are in order.
Names without(const Names &all, const Names &some) {
  Names rest;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(),
                      std::back_inserter(rest));
  return rest;
}

/// "'a', 'b', 'c' and 9 more"
std::string spellNames(const Names &names) {
  constexpr size_t most = 3;
  std::string text;
  for (size_t i = 0; i < names.size() && i < most; ++i)
    text += (i ? ", '" : "'") + names[i] + "'";
  if (names.size() > most)
    text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

std::string countOf(const Names &names, const char *what) {
  return std::to_string(names.size()) + " " + what +
         (names.size() == 1 ? "" : "s");
}

/// Compares what the checkpoint's optimizer and the recipe's keep.
Status checkKept(const Names &held, const Names &wanted,
                 const std::string &file) {
  Names extra = without(held, wanted), missing = without(wanted, held);
  if (extra.empty() && missing.empty())
    return Status::success();
  std::string text = "checkpoint '" + file + "' is of another optimizer: ";
  if (!extra.empty())
    text += "it holds " + countOf(extra, "tensor") +
            " that the recipe's does not keep: " + spellNames(extra);
  if (!missing.empty())
    text += (extra.empty() ? "it has no " : "; it has no ") +
            spellNames(missing) + ", which the recipe's keeps";
  return Status::userError(
      text +
      "; go on with the recipe that saved it, or begin a new run with "
      "its parameters: --weights " +
      file);
}

} // namespace

/// With other layouts a parameter would be trained for another model.
static Status checkLayouts(const plan::Plan &plan,
                           const Checkpoint &checkpoint) {
  std::string layouts = layoutsDigest(plan);
  if (checkpoint.layouts == layouts)
    return Status::success();
  return Status::userError(
      "checkpoint '" + checkpoint.file + "' was saved with block layouts " +
      checkpoint.layouts + ", but this program has " + layouts +
      "; go on with the same layouts, seeds and lengths, or begin a new run "
      "with its parameters: --weights " +
      checkpoint.file);
}

Status checkResume(const plan::Plan &plan, const Checkpoint &checkpoint) {
  if (Status status = checkLayouts(plan, checkpoint); !status.ok())
    return status;
  Names wanted = namesOf(plan.parameters);
  Names parameters = checkpoint.parameterNames(); // in order, as of a map
  if (Status status = checkParameters(plan, checkpoint.tensors(), {});
      !status.ok())
    return status;
  Names extra = without(parameters, wanted);
  if (!extra.empty())
    return Status::userError(
        "checkpoint '" + checkpoint.file + "' has " +
        countOf(extra, "parameter") +
        " that the model does not have: " + spellNames(extra) +
        "; go on with the model that saved it, or leave out --resume to begin "
        "a new run");
  return checkKept(without(checkpoint.tensorNames(), parameters),
                   without(namesOf(plan.states), wanted), checkpoint.file);
}

} // namespace hocket::runtime
