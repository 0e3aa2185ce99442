//===- AttentionForm.cpp - an attention as cuDNN sees it ------------------===//

#include "runtime/lib/Cuda/Dnn/AttentionForm.h"
#include "runtime/lib/Cuda/ListText.h"
#include <algorithm>
#include <limits>

namespace hocket::runtime::cuda {

GraphShape GraphShape::dense(const std::vector<int64_t> &extents) {
  GraphShape shape{extents, std::vector<int64_t>(extents.size())};
  int64_t stride = 1;
  for (size_t dim = extents.size(); dim-- > 0; stride *= extents[dim])
    shape.strides[dim] = stride;
  return shape;
}

GraphShape GraphShape::transposed() const {
  GraphShape shape = *this;
  size_t last = extents.size() - 1;
  std::swap(shape.extents[last], shape.extents[last - 1]);
  std::swap(shape.strides[last], shape.strides[last - 1]);
  return shape;
}

std::string describe(const AttentionArguments &arguments) {
  return "attention of " + listText(arguments.q.shape) + " over " +
         listText(arguments.k.shape) + " " + plan::toString(arguments.q.type);
}

std::string describe(const AttentionGradArguments &arguments) {
  return "gradient of the " + describe(arguments.forward);
}

namespace {

constexpr int64_t mostDepth = 128, depthStep = 8;
constexpr int64_t mostExtent = std::numeric_limits<int32_t>::max();

/// An operand with its name, for sentences.
struct Named {
  const char *name;
  const Operand *operand;
};

/// Why the library does not take one, or nothing: the first of these finds.
class Checks {
public:
  Checks(const AttentionArguments &given, const std::vector<Named> &operands)
      : given(given), operands(operands) {}

  std::string find() const {
    for (auto check :
         {&Checks::types, &Checks::dropout, &Checks::layout, &Checks::extents,
          &Checks::heads, &Checks::strides, &Checks::lse, &Checks::sight}) {
      std::string why = (this->*check)();
      if (!why.empty())
        return "cuDNN's attention " + why;
    }
    return "";
  }

private:
  std::string types() const {
    using plan::DType;
    DType type = given.q.type;
    if (type != DType::F16 && type != DType::BF16)
      return std::string("takes f16 and bf16, not ") + plan::toString(type);
    for (const Named &one : operands)
      if (one.operand->type != type)
        return std::string("wants one type for all operands, not ") +
               plan::toString(type) + " and " +
               plan::toString(one.operand->type);
    return "";
  }

  std::string dropout() const {
    return given.dropout.isLive() ? "drops weights by numbers of its own" : "";
  }

  std::string layout() const {
    return given.visited     ? "takes no block layout"
           : given.documents ? "tells no documents apart"
           : given.bias      ? "adds no bias"
                             : "";
  }

  std::string extents() const {
    for (int64_t depth : {given.q.shape[3], given.v.shape[3]})
      if (depth % depthStep != 0 || depth > mostDepth)
        return "takes heads of a multiple of 8 elements, 128 at most, not " +
               std::to_string(depth);
    for (const Named &one : operands)
      for (int64_t extent : one.operand->shape)
        if (extent > mostExtent)
          return "takes at most 2147483647 elements in a dim, not " +
                 std::to_string(extent);
    return "";
  }

  std::string heads() const {
    int64_t heads = given.q.shape[1], kvHeads = given.k.shape[1];
    bool isEven = kvHeads > 0 && heads % kvHeads == 0;
    for (int64_t head = 0; isEven && head < heads; ++head)
      isEven = given.kvHead(head) == head / (heads / kvHeads);
    return isEven || heads == 0
               ? ""
               : "takes heads in groups of one size, in order, which " +
                     std::to_string(heads) + " heads over " +
                     std::to_string(kvHeads) + " here are not";
  }

  std::string strides() const {
    for (const Named &one : operands) {
      const Operand &operand = *one.operand;
      if (operand.elements() == 0)
        continue;
      bool isGood = operand.shape[3] <= 1 || operand.strides[3] == 1;
      for (size_t dim = 0; dim < 3; ++dim)
        isGood &= operand.shape[dim] <= 1 ||
                  (operand.strides[dim] > 0 && operand.strides[dim] % 8 == 0);
      if (!isGood)
        return std::string("wants rows of elements side by side that begin at "
                           "multiples of 16 bytes; ") +
               one.name + " has strides " + listText(operand.strides);
    }
    return "";
  }

  std::string lse() const {
    if (!given.lse || given.lse->elements() == 0)
      return "";
    int64_t stride = 1;
    bool isDense = true;
    for (size_t dim = 3; dim-- > 0; stride *= given.lse->shape[dim])
      isDense &=
          given.lse->shape[dim] <= 1 || given.lse->strides[dim] == stride;
    return isDense ? "" : "wants lse without gaps, in the order of its dims";
  }

  /// Each query sees a key.
  std::string sight() const {
    int64_t queries = given.q.shape[2], keys = given.k.shape[2];
    if (queries == 0 || keys == 0)
      return "";
    bool seesBegin = !given.isLimited() || given.firstLimit() > 0;
    bool seesEnd =
        given.before < 0 || given.firstBegin() + queries - 1 <= keys - 1;
    if (!seesBegin || !seesEnd)
      return "wants each query to see a key";
    if (given.before >= 0 && given.keep)
      return "takes no window together with padding";
    return "";
  }

  const AttentionArguments &given;
  const std::vector<Named> &operands;
};

/// An operand's strides; that of a dim of one element is one that no other dim
/// overlaps.
GraphShape shapeOf(const Operand &operand) {
  GraphShape shape{operand.shape, operand.strides};
  int64_t span = operand.shape[3];
  for (size_t dim = 0; dim < 4; ++dim)
    if (shape.extents[dim] > 1)
      span = std::max(span, shape.extents[dim] * shape.strides[dim]);
  for (size_t dim = 0; dim < 3; ++dim)
    if (shape.extents[dim] == 1)
      shape.strides[dim] = span;
  shape.strides[3] = 1;
  return shape;
}

void setLimits(const AttentionArguments &given, AttentionForm &form) {
  int64_t last = given.firstLimit() - 1, first = given.firstBegin();
  // What hides nothing is left out.
  if (given.isLimited() && last < form.keys - 1)
    form.last = int32_t(last);
  if (given.before >= 0 && first + form.queries - 1 > 0)
    form.first = int32_t(first);
}

AttentionForm forwardForm(const AttentionArguments &given,
                          const std::vector<Named> &operands) {
  AttentionForm form;
  form.reason = Checks(given, operands).find();
  if (!form.reason.empty())
    return form;
  form.type = given.q.type == plan::DType::F16 ? DnnF16 : DnnBF16;
  form.batch = given.q.shape[0];
  form.heads = given.q.shape[1];
  form.kvHeads = given.k.shape[1];
  form.queries = given.q.shape[2];
  form.keys = given.k.shape[2];
  form.depth = given.q.shape[3];
  form.valueDepth = given.v.shape[3];
  form.hasLse = given.lse.has_value();
  form.hasLengths = given.keep.has_value();
  form.scale = float(given.scale);
  form.q = shapeOf(given.q);
  form.k = shapeOf(given.k);
  form.v = shapeOf(given.v);
  form.out = shapeOf(given.out);
  setLimits(given, form);
  return form;
}

int64_t aligned(int64_t bytes) { return (bytes + 255) / 256 * 256; }

} // namespace

AttentionForm formOf(const AttentionArguments &given) {
  AttentionForm form = forwardForm(
      given,
      {{"q", &given.q}, {"k", &given.k}, {"v", &given.v}, {"out", &given.out}});
  form.isEmpty = form.reason.empty() && given.out.elements() == 0;
  if (form.reason.empty() && !form.isEmpty &&
      (given.k.elements() == 0 || given.q.elements() == 0))
    form.reason = "cuDNN's attention wants keys, and heads that have elements";
  return form;
}

AttentionForm formOf(const AttentionGradArguments &given) {
  const AttentionArguments &forward = given.forward;
  AttentionForm form = forwardForm(forward, {{"q", &forward.q},
                                             {"k", &forward.k},
                                             {"v", &forward.v},
                                             {"out", &forward.out},
                                             {"dout", &given.dout},
                                             {"dq", &given.dq},
                                             {"dk", &given.dk},
                                             {"dv", &given.dv}});
  if (!form.reason.empty())
    return form;
  form.isGradient = true;
  bool hasElements = true;
  for (const Operand *one : {&forward.q, &forward.k, &forward.v})
    hasElements &= one->elements() > 0;
  form.isEmpty =
      given.dq.elements() + given.dk.elements() + given.dv.elements() == 0;
  if (!form.isEmpty && !hasElements)
    form.reason = "cuDNN's gradient of attention wants queries, keys and heads "
                  "that have elements";
  else if (form.queries == 1 && form.keys == 1)
    form.reason = "cuDNN's gradient of attention wants more than one query or "
                  "key";
  form.dout = shapeOf(given.dout);
  form.dq = shapeOf(given.dq);
  form.dk = shapeOf(given.dk);
  form.dv = shapeOf(given.dv);
  return form;
}

std::string AttentionForm::key() const {
  std::string text = isGradient ? "attention_grad " : "attention ";
  for (int64_t number :
       {int64_t(type), int64_t(hasLse), int64_t(hasLengths),
        int64_t(last.has_value()), int64_t(last.value_or(0) != 0),
        int64_t(first.has_value())})
    text += std::to_string(number) + " ";
  for (const GraphShape *shape : {&q, &k, &v, &out, &dout, &dq, &dk, &dv})
    text += listText(shape->extents) + listText(shape->strides);
  return text + " ";
}

AttentionWorkspace::AttentionWorkspace(const AttentionForm &form) {
  if (form.isEmpty || !form.reason.empty())
    return;
  int64_t rows = form.batch * form.heads * form.queries;
  int64_t sums = rows * form.depth * 4;
  auto take = [&](int64_t bytes) {
    int64_t place = library;
    library += aligned(bytes);
    return place;
  };
  if (form.hasLengths) {
    queryLengths = take(form.batch * 4);
    keyLengths = take(form.batch * 4);
  }
  libraryBytes = int64_t(1) << 20;
  if (!form.hasLse) // cuDNN 9.19 has no engine for an attention without it
    lse = take(rows * 4);
  if (!form.isGradient)
    return;
  means = take(rows * 4);
  dqSums = take(sums);
  libraryBytes += sums;
  if (form.heads != form.kvHeads)
    libraryBytes += form.batch * form.heads * form.keys *
                    (form.depth + form.valueDepth) * 2;
}

std::string whyNotDnn(const AttentionArguments &arguments) {
  return formOf(arguments).reason;
}

std::string whyNotDnn(const AttentionGradArguments &arguments) {
  return formOf(arguments).reason;
}

int64_t attentionWorkspaceBytes(const AttentionArguments &arguments) {
  return AttentionWorkspace(formOf(arguments)).bytes();
}

int64_t attentionWorkspaceBytes(const AttentionGradArguments &arguments) {
  return AttentionWorkspace(formOf(arguments)).bytes();
}

} // namespace hocket::runtime::cuda
