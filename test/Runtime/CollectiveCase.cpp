//===- CollectiveCase.cpp - a collective and its serial result ------------===//

#include "test/Runtime/CollectiveCase.h"
#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

namespace hocket::test {

using plan::CollectiveKind;
using plan::DType;

template <typename T> static double widen(T value) {
  if constexpr (std::is_same_v<T, runtime::Boolean>)
    return static_cast<int>(value);
  else
    return static_cast<double>(value);
}

template <typename T> static T narrow(double value) {
  if constexpr (std::is_same_v<T, runtime::Float16> ||
                std::is_same_v<T, runtime::BFloat16>)
    return T(static_cast<float>(value));
  else
    return T(value);
}

static double roundTo(DType type, double value) {
  return runtime::visitType(
      type, [&](auto zero) { return widen(narrow<decltype(zero)>(value)); });
}

static int64_t product(const std::vector<int64_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

static std::vector<int64_t> unflatten(int64_t flat,
                                      const std::vector<int64_t> &shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; flat /= shape[dim])
    index[dim] = flat % shape[dim];
  return index;
}

static int64_t flatten(const std::vector<int64_t> &index,
                       const std::vector<int64_t> &shape) {
  int64_t flat = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    flat = flat * shape[dim] + index[dim];
  return flat;
}

// ---- windows --------------------------------------------------------------

TestWindow::TestWindow(DType type, std::vector<int64_t> given, Layout layout)
    : type(type), shape(std::move(given)), strides(shape.size()) {
  int64_t stride = 1, total = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    size_t dim = layout == Layout::Reversed ? i : shape.size() - 1 - i;
    strides[dim] = stride;
    total = stride * std::max<int64_t>(shape[dim], 1);
    stride = total + (layout == Layout::Padded ? 3 : 0);
  }
  used.assign(total + 16, false);
  bytes.assign(used.size() * plan::byteSize(type), 0xa5);
  for (int64_t flat = 0; flat < elements(); ++flat)
    used[place(flat)] = true;
}

runtime::Window TestWindow::window() { return {bytes.data(), shape, strides}; }

int64_t TestWindow::elements() const { return product(shape); }

int64_t TestWindow::place(int64_t flat) const {
  std::vector<int64_t> index = unflatten(flat, shape);
  return std::inner_product(index.begin(), index.end(), strides.begin(),
                            int64_t(0));
}

void TestWindow::set(int64_t flat, double value) {
  runtime::visitType(type, [&](auto zero) {
    auto element = narrow<decltype(zero)>(value);
    std::memcpy(&bytes[place(flat) * sizeof element], &element, sizeof element);
  });
}

double TestWindow::get(int64_t flat) const {
  return runtime::visitType(type, [&](auto element) {
    std::memcpy(&element, &bytes[place(flat) * sizeof element], sizeof element);
    return widen(element);
  });
}

bool TestWindow::marginsIntact() const {
  int64_t size = plan::byteSize(type);
  for (size_t i = 0; i < bytes.size(); ++i)
    if (!used[i / size] && bytes[i] != 0xa5)
      return false;
  return true;
}

// ---- the serial computation -----------------------------------------------

double sourceValue(DType type, int64_t rank, int64_t flat) {
  uint64_t mixed =
      (flat + 1) * 0x9e3779b97f4a7c15u ^ (rank + 3) * 0xd1342543de82ef95u;
  mixed ^= mixed >> 29;
  if (type == DType::I32 || type == DType::I64)
    return static_cast<double>(mixed % 20001) - 10000;
  return roundTo(type, static_cast<double>(mixed % 200003) / 997.0 - 100.0);
}

static bool cutsSource(CollectiveKind kind) {
  return kind == CollectiveKind::AllGather || kind == CollectiveKind::AllToAll;
}

std::vector<int64_t> srcShape(const CollectiveCase &test, int64_t me) {
  std::vector<int64_t> shape = test.whole;
  if (cutsSource(test.kind))
    shape[test.dim] = test.size[me];
  return shape;
}

std::vector<int64_t> dstShape(const CollectiveCase &test, int64_t me) {
  std::vector<int64_t> shape = test.whole;
  if (test.kind == CollectiveKind::ReduceScatter)
    shape[test.dim] = test.size[me];
  if (test.kind == CollectiveKind::AllToAll)
    shape[test.toDim] = test.toSize[me];
  return shape;
}

static int64_t offsetOf(const std::vector<int64_t> &size, int64_t member) {
  return std::accumulate(size.begin(), size.begin() + member, int64_t(0));
}

/// Where a member's part begins.
static int64_t beginOf(const CollectiveCase &test, int64_t member) {
  return test.offset.empty() ? offsetOf(test.size, member)
                             : test.offset[member];
}

static int64_t toBeginOf(const CollectiveCase &test, int64_t member) {
  return test.toOffset.empty() ? offsetOf(test.toSize, member)
                               : test.toOffset[member];
}

static double combine(const CollectiveCase &test, double a, double b) {
  if (test.reduction == plan::Reduction::Max)
    return std::max(a, b);
  if (test.reduction == plan::Reduction::Min)
    return std::min(a, b);
  // F16 and BF16 are summed in F32 and rounded once, by set().
  bool single = test.type != DType::F64 && test.type != DType::I32 &&
                test.type != DType::I64;
  return single ? static_cast<float>(a) + static_cast<float>(b) : a + b;
}

static double reduced(const CollectiveCase &test,
                      const std::vector<int64_t> &members, int64_t flat) {
  double result = sourceValue(test.type, members[0], flat);
  for (size_t i = 1; i < members.size(); ++i)
    result = combine(test, result, sourceValue(test.type, members[i], flat));
  return roundTo(test.type, result);
}

double expectedValue(const CollectiveCase &test,
                     const std::vector<int64_t> &members, int64_t me,
                     int64_t flat) {
  std::vector<int64_t> index = unflatten(flat, dstShape(test, me));
  switch (test.kind) {
  case CollectiveKind::AllReduce:
    return reduced(test, members, flat);
  case CollectiveKind::Broadcast:
    return sourceValue(test.type, members[test.root], flat);
  case CollectiveKind::ReduceScatter:
    index[test.dim] += offsetOf(test.size, me);
    return reduced(test, members, flatten(index, test.whole));
  default:
    break;
  }
  if (test.kind == CollectiveKind::AllToAll)
    index[test.toDim] += toBeginOf(test, me);
  std::optional<double> sum;
  for (size_t peer = 0; peer < members.size(); ++peer) {
    std::vector<int64_t> at = index;
    at[test.dim] -= beginOf(test, int64_t(peer));
    if (at[test.dim] < 0 || at[test.dim] >= test.size[peer])
      continue;
    double term = sourceValue(test.type, members[peer],
                              flatten(at, srcShape(test, int64_t(peer))));
    sum = sum ? combine(test, *sum, term) : term;
  }
  return roundTo(test.type, *sum);
}

std::vector<int64_t> expectedFrom(const CollectiveCase &test, int64_t me) {
  int64_t members = static_cast<int64_t>(test.size.size());
  int64_t size = plan::byteSize(test.type);
  int64_t own = product(dstShape(test, me));
  auto chunk = [&](int64_t i) {
    return own * (i + 1) / members - own * i / members;
  };
  std::vector<int64_t> bytes(members, 0);
  for (int64_t peer = 0; peer < members; ++peer) {
    if (peer == me)
      continue;
    if (test.kind == CollectiveKind::AllReduce)
      bytes[peer] = (chunk(me) + chunk(peer)) * size;
    else if (test.kind == CollectiveKind::ReduceScatter)
      bytes[peer] = own * size;
    else if (test.kind == CollectiveKind::Broadcast)
      bytes[peer] = peer == test.root ? own * size : 0;
    else
      for (int64_t flat = 0; flat < own; ++flat) {
        int64_t at = unflatten(flat, dstShape(test, me))[test.dim];
        int64_t begin = beginOf(test, peer);
        bytes[peer] += at >= begin && at < begin + test.size[peer] ? size : 0;
      }
  }
  return bytes;
}

int64_t expectedBytes(const CollectiveCase &test, int64_t me) {
  std::vector<int64_t> bytes = expectedFrom(test, me);
  return std::accumulate(bytes.begin(), bytes.end(), int64_t(0));
}

static runtime::Share shareOf(const CollectiveCase &test, bool isTo) {
  runtime::Share share{
      isTo ? test.toDim : test.dim, {}, isTo ? test.toSize : test.size};
  for (size_t i = 0; i < share.size.size(); ++i)
    share.offset.push_back(isTo ? toBeginOf(test, int64_t(i))
                                : beginOf(test, int64_t(i)));
  return share;
}

static decltype(runtime::CollectiveSpec::kind)
kindOf(const CollectiveCase &test) {
  runtime::Share share = shareOf(test, /*isTo=*/false);
  switch (test.kind) {
  case CollectiveKind::AllReduce:
    return runtime::AllReduce{test.reduction};
  case CollectiveKind::ReduceScatter:
    return runtime::ReduceScatter{{share}, test.reduction};
  case CollectiveKind::AllGather:
    return runtime::AllGather{{share}};
  case CollectiveKind::AllToAll:
    return runtime::AllToAll{{share}, {shareOf(test, /*isTo=*/true)}};
  default:
    return runtime::Broadcast{test.root};
  }
}

runtime::CollectiveSpec makeSpec(const CollectiveCase &test,
                                 const std::vector<int64_t> &members,
                                 int64_t me, TestWindow &src, TestWindow &dst) {
  runtime::CollectiveSpec spec;
  spec.kind = kindOf(test);
  spec.type = test.type;
  spec.members = members;
  spec.me = me;
  spec.pairs = {{src.window(), dst.window()}};
  spec.source = {"layer", "model.hkt:1:1", "schedule.hkt:2:3"};
  return spec;
}

namespace {

/// Appends what a kind says of another tensor: one overload a kind.
struct Append {
  const runtime::CollectiveSpec &other;
  template <class Kind> const Kind &same() const {
    return std::get<Kind>(other.kind);
  }
  template <class T>
  static void join(std::vector<T> &list, const std::vector<T> &more) {
    list.insert(list.end(), more.begin(), more.end());
  }
  void operator()(runtime::AllReduce &) const {}
  void operator()(runtime::Broadcast &) const {}
  void operator()(runtime::ReduceScatter &kind) const {
    join(kind.shares, same<runtime::ReduceScatter>().shares);
  }
  void operator()(runtime::AllGather &kind) const {
    join(kind.shares, same<runtime::AllGather>().shares);
  }
  void operator()(runtime::AllToAll &kind) const {
    join(kind.from, same<runtime::AllToAll>().from);
    join(kind.to, same<runtime::AllToAll>().to);
  }
  void operator()(runtime::HaloExchange &kind) const {
    join(kind.dims, same<runtime::HaloExchange>().dims);
  }
  void operator()(runtime::HaloReduce &kind) const {
    join(kind.dims, same<runtime::HaloReduce>().dims);
  }
};

} // namespace

void addTensors(runtime::CollectiveSpec &spec,
                const runtime::CollectiveSpec &other) {
  std::visit(Append{other}, spec.kind);
  Append::join(spec.pairs, other.pairs);
}

} // namespace hocket::test
