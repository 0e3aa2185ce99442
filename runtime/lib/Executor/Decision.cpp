//===- Decision.cpp - whether a step may change anything ------------------===//

#include "runtime/lib/Executor/Decision.h"
#include "hocket/Plan/Accesses.h"
#include "hocket/Runtime/Elements.h"
#include <algorithm>
#include <cmath>

namespace hocket::runtime {

namespace {

using plan::Instructions;

bool writes(const Instructions &list, size_t at, int buffer) {
  for (const plan::View *view : plan::writtenViews(list, at))
    if (view->buffer == buffer)
      return true;
  return false;
}

/// The last instruction that writes a buffer, or the end.
size_t lastWriter(const Instructions &list, int buffer) {
  for (size_t i = list.size(); i > 0; --i)
    if (writes(list, i - 1, buffer))
      return i - 1;
  return list.size();
}

bool changesState(const plan::RankClass &rankClass, size_t at) {
  for (const plan::View *view : plan::writtenViews(rankClass.step, at))
    if (rankClass.buffers[view->buffer].region == plan::Region::State)
      return true;
  return false;
}

/// Where output number `index` can be read before instruction `before`: in its
/// box, or in what is copied there later. Null: nowhere.
const plan::View *placeOf(const plan::RankClass &rankClass, size_t index,
                          size_t before) {
  const Instructions &list = rankClass.step;
  for (size_t b = 0; b < rankClass.buffers.size(); ++b) {
    const plan::Buffer &buffer = rankClass.buffers[b];
    if (buffer.region != plan::Region::Output ||
        buffer.offset != int64_t(index))
      continue;
    size_t writer = lastWriter(list, int(b));
    if (writer == list.size())
      continue;
    if (writer < before) {
      for (const plan::View *view : plan::writtenViews(list, writer))
        if (view->buffer == int(b))
          return view;
    }
    auto *copy = std::get_if<plan::Copy>(&list[writer].body);
    if (!copy)
      return nullptr;
    for (size_t i = before; i < writer; ++i)
      if (writes(list, i, copy->src.buffer))
        return nullptr;
    return &copy->src;
  }
  return nullptr;
}

} // namespace

Status findDecision(const plan::Plan &plan, const plan::RankClass &rankClass,
                    Decision &decision) {
  const Instructions &list = rankClass.step;
  if (plan.states.empty())
    return Status::success();
  decision.at = 0;
  while (decision.at < list.size() && !changesState(rankClass, decision.at))
    ++decision.at;
  bool isScaled = std::any_of(
      plan.outputs.begin(), plan.outputs.end(),
      [](const plan::GlobalTensor &x) { return x.name == "loss_scale"; });
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const std::string &name = plan.outputs[i].name;
    if (name != "loss" && (name != "grad_norm" || isScaled))
      continue;
    const plan::View *place = placeOf(rankClass, i, decision.at);
    if (!place)
      return Status::runtimeError("the program changes parameters before '" +
                                  name + "' is known");
    decision.watched.push_back({name, *place});
  }
  return Status::success();
}

// ---- numbers --------------------------------------------------------------

namespace {

bool isFloat(plan::DType type) {
  return type == plan::DType::F32 || type == plan::DType::F64 ||
         type == plan::DType::F16 || type == plan::DType::BF16;
}

double elementAt(const Operand &operand, int64_t offset) {
  return visitType(operand.type, [&](auto zero) {
    return double(static_cast<const decltype(zero) *>(operand.data)[offset]);
  });
}

/// Of the dims from `dim` on, from element `offset` on.
std::optional<double> search(const Operand &operand, size_t dim,
                             int64_t offset) {
  if (dim == operand.shape.size()) {
    double value = elementAt(operand, offset);
    return std::isfinite(value) ? std::nullopt : std::optional<double>(value);
  }
  for (int64_t i = 0; i < operand.shape[dim]; ++i)
    if (auto found =
            search(operand, dim + 1, offset + i * operand.strides[dim]))
      return found;
  return std::nullopt;
}

} // namespace

std::optional<double> firstNotFinite(const Operand &operand) {
  return isFloat(operand.type) ? search(operand, 0, 0) : std::nullopt;
}

double numberAt(const Operand &operand) { return elementAt(operand, 0); }

const char *spellNotFinite(double value) {
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

} // namespace hocket::runtime
