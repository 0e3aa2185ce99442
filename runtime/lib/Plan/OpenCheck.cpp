//===- OpenCheck.cpp - collectives that are started and waited for --------===//
//
// Between the two a collective is open. Others read what this rank sends then,
// and what it receives comes at any time: no instruction may write the one or
// touch the other.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "ViewOverlap.h"
#include "hocket/Plan/Accesses.h"
#include "hocket/Plan/Summary.h"
#include <algorithm>

namespace hocket::plan {

namespace {

/// Bytes of a region of a rank.
struct Place {
  Region region;
  int64_t tensor; // of an input or output, else 0
  ByteWindow bytes;
};

bool overlap(const Place &a, const Place &b) {
  return a.region == b.region && a.tensor == b.tensor &&
         overlap(a.bytes, b.bytes);
}

/// The window's rows [begin, end) of a dim.
Place rowsOf(Place place, int dim, int64_t begin, int64_t end) {
  begin = std::clamp<int64_t>(begin, 0, place.bytes.shape[dim]);
  end = std::clamp(end, begin, place.bytes.shape[dim]);
  place.bytes.begin += begin * place.bytes.strides[dim];
  place.bytes.shape[dim] = end - begin;
  return place;
}

/// The stride of a single position says nothing.
bool areSame(const Place &a, const Place &b) {
  bool isSame = a.region == b.region && a.tensor == b.tensor &&
                a.bytes.begin == b.bytes.begin &&
                a.bytes.shape == b.bytes.shape;
  for (size_t dim = 0; isSame && dim < a.bytes.shape.size(); ++dim)
    isSame =
        a.bytes.shape[dim] <= 1 || a.bytes.strides[dim] == b.bytes.strides[dim];
  return isSame;
}

} // namespace

/// What an open collective leaves to nobody, and to nobody to write, on a rank.
struct Checker::Reserved {
  std::vector<Place> received, sent;

  /// Adds one tensor: one overload a kind.
  struct Adder {
    const Plan &plan;
    int64_t me;
    size_t tensor;
    const Place &src, &dst;
    Reserved &out;

    void operator()(const AllReduce &) const { addWhole(); }
    void operator()(const ReduceScatter &) const { addWhole(); }
    void operator()(const AllGather &) const { addWhole(); }
    void operator()(const AllToAll &) const { addWhole(); }
    void operator()(const Broadcast &) const { addWhole(); }
    /// Others read what it owns. It receives the rest where what it owns lies
    /// in its place already.
    void operator()(const HaloExchange &x) const {
      out.sent.push_back(src);
      if (areSame(src, own(x, dst)))
        addMargins(x, dst, out.received);
      else
        out.received.push_back(dst);
    }
    /// Others read what it does not own, the rest it adds itself, at the end.
    void operator()(const HaloReduce &x) const {
      addMargins(x, src, out.sent);
      if (!areSame(dst, own(x, src)))
        out.received.push_back(dst);
    }

    void addWhole() const {
      out.sent.push_back(src);
      out.received.push_back(dst);
    }
    int64_t at(int table) const { return plan.tables[table].values[me]; }
    int64_t begin(const HaloShares &x) const {
      return at(x.offset) - at(x.heldOffset);
    }
    Place own(const HaloShares &x, const Place &held) const {
      return rowsOf(held, x.dims[tensor], begin(x), begin(x) + at(x.size));
    }
    void addMargins(const HaloShares &x, const Place &held,
                    std::vector<Place> &list) const {
      int dim = x.dims[tensor];
      list.push_back(rowsOf(held, dim, 0, begin(x)));
      list.push_back(
          rowsOf(held, dim, begin(x) + at(x.size), held.bytes.shape[dim]));
    }
  };
};

/// Where a view lies on a rank.
static Place placeOf(const RankClass &rankClass, const View &view,
                     int64_t offset) {
  const Buffer &buffer = rankClass.buffers[view.buffer];
  bool isTensor =
      buffer.region == Region::Input || buffer.region == Region::Output;
  int64_t width = byteSize(buffer.type);
  Place place{buffer.region,
              isTensor ? buffer.offset : 0,
              {offset * width + (isTensor ? 0 : buffer.offset), width,
               view.shape, view.strides}};
  // The stride of a single position may be any number.
  for (size_t dim = 0; dim < view.shape.size(); ++dim)
    place.bytes.strides[dim] *= view.shape[dim] > 1 ? width : 0;
  return place;
}

Checker::Reserved Checker::reservedBy(const Collective &open, int64_t rank) {
  Reserved reserved;
  for (size_t tensor = 0; tensor < open.pairs.size(); ++tensor) {
    auto place = [&](const View &view) {
      return placeOf(*current, view, offsetOn(rank, view));
    };
    const Collective::Pair &pair = open.pairs[tensor];
    Place src = place(pair.src), dst = place(pair.dst);
    std::visit(Reserved::Adder{plan, plan.coordinate(rank, open.axes), tensor,
                               src, dst, reserved},
               open.kind);
  }
  return reserved;
}

int64_t Checker::offsetOn(int64_t rank, const View &view) const {
  __int128 offset = view.offset;
  for (const Scalar &term : view.terms)
    offset += valueOn(rank, term);
  return int64_t(offset); // inside its buffer, as has been checked
}

/// Ranks of the current class, one for each combination of what these tables
/// say, less what those beside them do.
const std::vector<int64_t> &
Checker::ranksThatDiffer(const Differences &differences) {
  auto [known, isNew] = byValue.try_emplace({current, differences});
  if (!isNew)
    return known->second;
  auto valueOf = [&](int table, int64_t rank) {
    if (table < 0)
      return int64_t(0);
    const Table &numbers = plan.tables[table];
    return numbers.values[plan.coordinate(rank, numbers.axes)];
  };
  std::set<std::vector<int64_t>> seen;
  for (int64_t rank : current->ranks) {
    std::vector<int64_t> values;
    for (auto [table, less] : differences)
      values.push_back(valueOf(table, rank) - valueOf(less, rank));
    if (seen.insert(std::move(values)).second)
      known->second.push_back(rank);
  }
  return known->second;
}

/// `one` runs while `open` is.
bool Checker::checkBeside(const Collective &open, const Instruction &one) {
  Accesses accesses = accessesOf(one);
  if (one.workspace.buffer >= 0)
    accesses.writes.push_back(&one.workspace);
  Differences differences;
  if (const HaloShares *halo = open.halo())
    differences = {{halo->offset, halo->heldOffset}, {halo->size, -1}};
  auto add = [&](const View &view) {
    for (const Scalar &term : view.terms)
      if (term.table >= 0)
        differences.insert({term.table, -1});
  };
  for (const Collective::Pair &pair : open.pairs)
    add(pair.src), add(pair.dst);
  for (const auto *list : {&accesses.reads, &accesses.writes})
    for (const View *view : *list)
      add(*view);
  for (int64_t rank : ranksThatDiffer(differences)) {
    Reserved reserved = reservedBy(open, rank);
    auto check = [&](const View *view, const std::vector<Place> &places,
                     const std::string &what, const char *does) {
      Place found = placeOf(*current, *view, offsetOn(rank, *view));
      return std::none_of(
                 places.begin(), places.end(),
                 [&](const Place &place) { return overlap(found, place); }) ||
             fail(what + (" collective " + std::to_string(open.id)) + does +
                  " before it is waited for, on rank " + std::to_string(rank));
    };
    for (const View *view : accesses.reads)
      if (!check(view, reserved.received, "reads what", " receives"))
        return false;
    for (const View *view : accesses.writes)
      if (!check(view, reserved.received, "writes where", " receives") ||
          !check(view, reserved.sent, "writes what", " sends"))
        return false;
  }
  return true;
}

/// What is started is waited for, once, behind it; what stands between leaves
/// its windows alone.
bool Checker::checkOpen(const std::vector<Instruction> &list,
                        const std::string &front) {
  std::map<int64_t, const Collective *> open;
  std::set<int64_t> known;
  auto begin = [&](const Collective &one) {
    std::string id = "collective " + std::to_string(one.id);
    if (!known.insert(one.id).second)
      return fail("there is another " + id + " before it");
    if (one.isStarted && one.axes.empty())
      return fail(id + " is started, and has nobody to wait for");
    if (one.isStarted && !one.hook.empty())
      return fail(id + " is started, and hook '" + one.hook +
                  "' does it, which ends where it begins");
    if (one.isStarted)
      open[one.id] = &one;
    return true;
  };
  for (size_t i = 0; i < list.size(); ++i) {
    where = whereOf(front, list, i);
    if (auto *wait = std::get_if<Wait>(&list[i].body);
        wait && open.erase(wait->id) == 0)
      return fail("waits for collective " + std::to_string(wait->id) +
                  ", which is not open");
    for (const auto &[id, one] : open)
      if (!checkBeside(*one, list[i]))
        return false;
    if (auto *one = std::get_if<Collective>(&list[i].body); one && !begin(*one))
      return false;
  }
  where = front + (inLoad ? ", load" : ", step");
  if (open.empty())
    where = front;
  return open.empty() ||
         fail("collective " + std::to_string(open.begin()->first) +
              " is started and not waited for");
}

} // namespace hocket::plan
