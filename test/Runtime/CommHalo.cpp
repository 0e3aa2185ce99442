//===- CommHalo.cpp - margins that every communicator must move -----------===//

#include "test/Runtime/HaloCase.h"
#include "test/Runtime/RankGroup.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace hocket;
using namespace hocket::test;
using plan::Border;
using plan::CollectiveKind;
using plan::DType;

namespace {

const std::vector<Border> allBorders = {Border::Zero, Border::Reflect,
                                        Border::Replicate, Border::Circular};

/// The place that `e` shows, said in another way than the code under test says
/// it: by walking from `e` into the extent. -1: none.
int64_t shownAt(Border border, int64_t e, int64_t extent) {
  if (border == Border::Zero && (e < 0 || e >= extent))
    return -1;
  while (e < 0 || e >= extent) {
    int64_t edge = e < 0 ? 0 : extent - 1;
    if (border == Border::Reflect)
      e = edge - (e - edge);
    else
      e += border == Border::Circular ? (e < 0 ? extent : -extent) : edge - e;
  }
  return e;
}

runtime::CollectiveSpec specOf(const HaloCase &test, CollectiveKind kind,
                               int64_t me, const runtime::Window &src,
                               const runtime::Window &dst) {
  runtime::CollectiveSpec spec;
  runtime::HaloShares shares{{test.dim}, test.halo};
  if (kind == CollectiveKind::HaloExchange)
    spec.kind = runtime::HaloExchange{shares};
  else
    spec.kind = runtime::HaloReduce{shares};
  spec.type = test.type;
  spec.members.resize(test.halo.size.size());
  std::iota(spec.members.begin(), spec.members.end(), 0);
  spec.me = me;
  spec.pairs = {{src, dst}};
  spec.source = {"layer", "model.hkt:1:1", "schedule.hkt:2:3"};
  return spec;
}

/// Small whole numbers, so that sums of products are exact.
double valueAt(int64_t rank, int64_t flat, int64_t salt) {
  return double((flat * 7 + rank * 13 + salt * 5) % 19 - 9);
}

void fill(TestWindow &window, int64_t rank, int64_t salt) {
  for (int64_t flat = 0; flat < window.elements(); ++flat)
    window.set(flat, valueAt(rank, flat, salt));
}

/// Row `row` of a window's dim and everything else of element `flat`.
int64_t withRow(const std::vector<int64_t> &shape, int dim, int64_t flat,
                int64_t row, int64_t rows) {
  int64_t inner = 1;
  for (size_t i = dim + 1; i < shape.size(); ++i)
    inner *= shape[i];
  int64_t outer = flat / (inner * shape[dim]);
  return (outer * rows + row) * inner + flat % inner;
}

int64_t rowOf(const std::vector<int64_t> &shape, int dim, int64_t flat) {
  int64_t inner = 1;
  for (size_t i = dim + 1; i < shape.size(); ++i)
    inner *= shape[i];
  return flat / inner % shape[dim];
}

using Bytes = std::vector<int64_t>; // by member

Bytes difference(Bytes after, const Bytes &before) {
  for (size_t i = 0; i < after.size(); ++i)
    after[i] -= before[i];
  return after;
}

int64_t sum(const Bytes &bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), int64_t(0));
}

int64_t product(const std::vector<int64_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

/// What the plan says that `me` receives from each member.
Bytes planned(const HaloCase &test, CollectiveKind kind, int64_t me) {
  Bytes bytes = kind == CollectiveKind::HaloExchange
                    ? test.halo.readInExchange(me)
                    : test.halo.readInReduce(me);
  for (int64_t &count : bytes)
    count *= plan::byteSize(test.type) * product(test.shapeWith(1));
  return bytes;
}

/// What member `me` must hold, and the bytes of it that others own.
void checkExchanged(const HaloCase &test, const TestWindow &dst, int64_t me,
                    const Bytes &bytes) {
  const plan::Halo &halo = test.halo;
  Bytes foreign(halo.size.size(), 0);
  std::vector<int64_t> held = test.held(me);
  for (int64_t flat = 0; flat < dst.elements(); ++flat) {
    int64_t row = rowOf(held, test.dim, flat);
    int64_t position =
        halo.rows.empty() ? halo.heldOffset[me] + row : halo.rows[me][row];
    int64_t place = shownAt(halo.border, position, halo.extent);
    double expected = 0;
    for (int64_t j = 0; j < int64_t(halo.size.size()); ++j)
      if (place >= halo.offset[j] && place < halo.offset[j] + halo.size[j]) {
        foreign[j] += j == me ? 0 : plan::byteSize(test.type);
        expected = valueAt(
            j,
            withRow(held, test.dim, flat, place - halo.offset[j], halo.size[j]),
            1);
      }
    ASSERT_EQ(dst.get(flat), expected) << "member " << me << " row " << row;
  }
  EXPECT_EQ(bytes, foreign);
  EXPECT_TRUE(dst.marginsIntact());
}

/// The bytes that others hold of what `me` owns.
Bytes addedBack(const HaloCase &test, int64_t me) {
  const plan::Halo &halo = test.halo;
  Bytes bytes(halo.size.size(), 0);
  for (size_t j = 0; j < bytes.size(); ++j)
    for (int64_t row = 0; int64_t(j) != me && row < halo.heldSize[j]; ++row) {
      int64_t position =
          halo.rows.empty() ? halo.heldOffset[j] + row : halo.rows[j][row];
      int64_t place = shownAt(halo.border, position, halo.extent);
      if (place >= halo.offset[me] && place < halo.offset[me] + halo.size[me])
        bytes[j] += product(test.shapeWith(1)) * plan::byteSize(test.type);
    }
  return bytes;
}

/// The terms of the member's own places, as `fill` has them, or zeros.
void fillOwn(const HaloCase &test, TestWindow &y, int64_t me, bool withZeros) {
  std::vector<int64_t> held = test.held(me);
  for (int64_t flat = 0; flat < y.elements(); ++flat) {
    int64_t row = rowOf(held, test.dim, flat);
    int64_t place = shownAt(test.halo.border, test.halo.heldOffset[me] + row,
                            test.halo.extent);
    if (place >= test.halo.offset[me] &&
        place < test.halo.offset[me] + test.halo.size[me])
      y.set(flat, withZeros ? 0 : valueAt(me, flat, 2));
  }
}

/// Sum over all elements of a of a's times b's.
double product(const TestWindow &a, const TestWindow &b) {
  double sum = 0;
  for (int64_t flat = 0; flat < a.elements(); ++flat)
    sum += a.get(flat) * b.get(flat);
  return sum;
}

class CommHalo : public testing::TestWithParam<Transport> {
protected:
  /// Values and bytes of an exchange, then <H x, y> == <x, H^T y>. At once, and
  /// started before what others do not read is there.
  void check(const HaloCase &test) {
    int64_t members = test.halo.size.size();
    std::vector<double> left(members), right(members);
    std::unique_ptr<RankGroup> group = GetParam().make();
    group->run(members, [&](runtime::Communicator &comm) {
      int64_t me = comm.rank();
      TestWindow x(test.type, test.owned(me), test.layout);
      TestWindow hx(test.type, test.held(me), test.layout);
      TestWindow y(test.type, test.held(me), test.layout);
      TestWindow hty(test.type, test.owned(me), test.layout);
      fill(x, me, 1);
      fill(y, me, 2);
      int64_t exchange = 0, reduce = 0;
      auto prepare = [&](CollectiveKind kind, TestWindow &src, TestWindow &dst,
                         int64_t &handle) {
        runtime::Status status = comm.prepare(
            specOf(test, kind, me, src.window(), dst.window()), handle);
        ASSERT_TRUE(status.ok()) << status.message;
      };
      prepare(CollectiveKind::HaloExchange, x, hx, exchange);
      prepare(CollectiveKind::HaloReduce, y, hty, reduce);
      for (int repeat = 0; repeat < 2; ++repeat) {
        Bytes attached = comm.receivedFrom(exchange);
        Bytes added = comm.receivedFrom(reduce);
        if (repeat) {
          ASSERT_TRUE(comm.start(exchange).ok());
        }
        ASSERT_TRUE((repeat ? comm.wait(exchange) : comm.run(exchange)).ok());
        attached = difference(comm.receivedFrom(exchange), attached);
        checkExchanged(test, hx, me, attached);
        EXPECT_EQ(attached, planned(test, CollectiveKind::HaloExchange, me));
        if (repeat) {
          fillOwn(test, y, me, /*withZeros=*/group->takesLateWrites());
          ASSERT_TRUE(comm.start(reduce).ok());
          fillOwn(test, y, me, /*withZeros=*/false);
        }
        ASSERT_TRUE((repeat ? comm.wait(reduce) : comm.run(reduce)).ok());
        added = difference(comm.receivedFrom(reduce), added);
        EXPECT_EQ(added, addedBack(test, me));
        EXPECT_EQ(added, planned(test, CollectiveKind::HaloReduce, me));
        EXPECT_TRUE(hty.marginsIntact());
      }
      left[me] = product(hx, y);
      right[me] = product(x, hty);
      EXPECT_EQ(comm.receivedBytes(), sum(comm.receivedFrom(exchange)) +
                                          sum(comm.receivedFrom(reduce)));
    });
    group->share(left);
    group->share(right);
    EXPECT_EQ(std::accumulate(left.begin(), left.end(), 0.0),
              std::accumulate(right.begin(), right.end(), 0.0));
  }
};

} // namespace

TEST_P(CommHalo, RandomSharesAndMargins) {
  std::mt19937 random(20261121);
  for (int64_t members : {1, 2, 3, 4, 6})
    for (Border border : allBorders)
      for (int round = 0; round < 6; ++round) {
        HaloCase test{randomHalo(random, members, border)};
        test.layout = Layout((round + members) % 3);
        test.dim = round % 2;
        if (test.dim == 0)
          test.shape = {0, 5};
        test.type = round % 4 ? DType::F64 : DType::F32;
        check(test);
        if (HasFatalFailure() || HasNonfatalFailure())
          return;
      }
}

TEST_P(CommHalo, RowsThatAreListed) {
  std::mt19937 random(7);
  for (int64_t members : {1, 2, 3, 4, 6})
    for (int round = 0; round < 8; ++round) {
      HaloCase test{randomRows(random, members)};
      test.layout = Layout((round + members) % 3);
      test.dim = round % 2;
      if (test.dim == 0)
        test.shape = {0, 5};
      check(test);
      if (HasFatalFailure() || HasNonfatalFailure())
        return;
    }
}

// A member that lacks a row of its own, or has one twice, or of no place.
TEST_P(CommHalo, RowsThatAreWrong) {
  plan::Halo good{{0, 2}, {2, 2}, {0, 1}, {3, 3}, 4, Border::Zero};
  good.rows = {{0, 1, 3}, {0, 2, 3}};
  EXPECT_TRUE(good.areRowsValid());
  for (const std::vector<int64_t> &bad : std::vector<std::vector<int64_t>>{
           {0, 2, 3}, {0, 1, 1}, {0, 1, 4}, {0, 1}, {1, 0, 3}}) {
    plan::Halo halo = good;
    halo.rows[0] = bad;
    EXPECT_FALSE(halo.areRowsValid());
  }
}

// Nothing at all, on every member.
TEST_P(CommHalo, EmptyExtent) {
  plan::Halo halo{{0, 0}, {0, 0}, {-1, 0}, {3, 0}, 0, Border::Zero};
  check({halo});
}

/// What a member owns may lie in the middle of what it holds already: the
/// margins come around it, and are added back into it.
TEST_P(CommHalo, InPlace) {
  plan::Halo halo{{0, 3, 7}, {3, 4, 2}, {-2, 1, 5},
                  {7, 9, 6}, 9,         Border::Circular};
  HaloCase test{halo, {0, 2}, 0};
  GetParam().make()->run(3, [&](runtime::Communicator &comm) {
    int64_t me = comm.rank();
    TestWindow both(test.type, test.held(me), Layout::Dense);
    runtime::Window held = both.window(), owned = held;
    int64_t margin = halo.offset[me] - halo.heldOffset[me];
    owned.shape = test.owned(me);
    owned.data = both.bytes.data() + margin * 2 * plan::byteSize(test.type);
    int64_t exchange = 0, reduce = 0;
    ASSERT_TRUE(comm.prepare(specOf(test, CollectiveKind::HaloExchange, me,
                                    owned, held),
                             exchange)
                    .ok());
    ASSERT_TRUE(
        comm.prepare(specOf(test, CollectiveKind::HaloReduce, me, held, owned),
                     reduce)
            .ok());
    for (int64_t flat = 0; flat < halo.size[me] * 2; ++flat)
      both.set(margin * 2 + flat, valueAt(me, flat, 1));
    ASSERT_TRUE(comm.run(exchange).ok());
    checkExchanged(test, both, me, comm.receivedFrom(exchange));
    ASSERT_TRUE(comm.run(reduce).ok());
    // Each place comes back as often as somebody holds it.
    for (int64_t flat = 0; flat < halo.size[me] * 2; ++flat) {
      int64_t place = halo.offset[me] + flat / 2, times = 0;
      for (int64_t j = 0; j < 3; ++j)
        for (int64_t i = 0; i < halo.heldSize[j]; ++i)
          times += shownAt(halo.border, halo.heldOffset[j] + i, 9) == place;
      EXPECT_EQ(both.get(margin * 2 + flat),
                double(times) * valueAt(me, flat, 1));
    }
  });
}

/// Keys and values: each along its own dim, in its own memory order.
TEST_P(CommHalo, SeveralTensorsAtOnce) {
  plan::Halo halo{{0, 3, 7}, {3, 4, 2}, {-2, 1, 5},
                  {7, 9, 4}, 9,         Border::Reflect};
  HaloCase rows{halo, {0, 2}, 0}, columns{halo, {3, 0}, 1};
  columns.layout = Layout(2);
  GetParam().make()->run(3, [&](runtime::Communicator &comm) {
    int64_t me = comm.rank();
    for (CollectiveKind kind :
         {CollectiveKind::HaloExchange, CollectiveKind::HaloReduce}) {
      bool attaches = kind == CollectiveKind::HaloExchange;
      auto window = [&](const HaloCase &test, bool ofSource) {
        return TestWindow(test.type,
                          attaches == ofSource ? test.owned(me) : test.held(me),
                          test.layout);
      };
      TestWindow a = window(rows, true), b = window(columns, true);
      TestWindow fromA = window(rows, false), fromB = window(columns, false);
      TestWindow alone = window(columns, false);
      fill(a, me, 1);
      fill(b, me, 1);
      runtime::CollectiveSpec both =
          specOf(rows, kind, me, a.window(), fromA.window());
      runtime::CollectiveSpec second =
          specOf(columns, kind, me, b.window(), fromB.window());
      addTensors(both, second);
      second.pairs[0].dst = alone.window();
      int64_t handle = 0;
      ASSERT_TRUE(comm.prepare(both, handle).ok());
      ASSERT_TRUE(comm.run(handle).ok());
      Bytes received = comm.receivedFrom(handle);
      ASSERT_TRUE(comm.prepare(second, handle).ok());
      ASSERT_TRUE(comm.run(handle).ok());
      for (int64_t flat = 0; flat < alone.elements(); ++flat)
        EXPECT_EQ(fromB.get(flat), alone.get(flat));
      received = difference(received, comm.receivedFrom(handle));
      if (attaches)
        checkExchanged(rows, fromA, me, received);
      EXPECT_TRUE(fromA.marginsIntact() && fromB.marginsIntact());
    }
  });
}

/// bfloat16 is added in float32, member by member, and rounded once: 256, 1 and
/// 1 are 258; rounded after each addition they would stay 256.
TEST_P(CommHalo, HalfTypesAreRoundedOnce) {
  plan::Halo halo{{0, 1, 1}, {1, 0, 0}, {0, 0, 0}, {1, 1, 1}, 1, Border::Zero};
  HaloCase test{halo, {0, 1}, 0, DType::BF16};
  GetParam().make()->run(3, [&](runtime::Communicator &comm) {
    int64_t me = comm.rank(), handle = 0;
    TestWindow y(test.type, test.held(me), Layout::Dense);
    TestWindow sum(test.type, test.owned(me), Layout::Dense);
    y.set(0, me == 0 ? 256 : 1);
    ASSERT_TRUE(comm.prepare(specOf(test, CollectiveKind::HaloReduce, me,
                                    y.window(), sum.window()),
                             handle)
                    .ok());
    ASSERT_TRUE(comm.run(handle).ok());
    if (me == 0)
      EXPECT_EQ(sum.get(0), 258);
  });
}

/// The text of a spec that no member may prepare.
static std::string refusal(plan::Halo halo, int dim = 0) {
  runtime::ThreadWorld world(2, {});
  HaloCase test{std::move(halo), {0}, 0};
  TestWindow x(test.type, test.owned(0), Layout::Dense);
  TestWindow y(test.type, test.held(0), Layout::Dense);
  runtime::CollectiveSpec spec =
      specOf(test, CollectiveKind::HaloExchange, 0, x.window(), y.window());
  std::get<runtime::HaloExchange>(spec.kind).dims = {dim};
  int64_t handle;
  return world.communicator(0, runtime::hostMover())
      ->prepare(spec, handle)
      .message;
}

TEST(CommHaloErrors, BadSpecs) {
  std::string what = "halo_exchange of \"layer\" (schedule.hkt:2:3): ";
  EXPECT_EQ(refusal({{0, 2}, {2, 2}, {-1, 1}, {4, 4}, 4, Border::Zero}), "");
  EXPECT_EQ(refusal({{0, 2}, {2, 2}, {-4, 1}, {4, 4}, 4, Border::Reflect}),
            what + "its margins reach further than its border");
  EXPECT_EQ(refusal({{0, 2}, {2, 2}, {-1, 1}, {4, 4}, 5, Border::Zero}),
            what + "its margins reach further than its border");
  EXPECT_EQ(refusal({{0, 1}, {2, 2}, {-1, 1}, {4, 4}, 4, Border::Zero}),
            what + "its shards overlap or leave a gap");
  EXPECT_EQ(refusal({{0, 2}, {2, 2}, {-1, 1}, {4, 4}, 4, Border::Zero}, 1),
            what + "its dim 1 is not one of a tensor of 1 dims");
}

/// A member that was told of other margins than its peer: both hear of it.
TEST(CommHaloErrors, MembersDisagree) {
  for (bool byBorder : {true, false}) {
    std::vector<std::string> texts(2);
    ThreadRankGroup({}).run(2, [&](runtime::Communicator &comm) {
      int64_t me = comm.rank();
      plan::Halo halo{{0, 2}, {2, 2}, {-1, 1}, {4, 4}, 4, Border::Zero};
      if (me == 1 && byBorder)
        halo.border = Border::Circular;
      if (me == 1 && !byBorder)
        halo.heldOffset[0] = -2;
      HaloCase test{halo, {0}, 0};
      TestWindow x(test.type, test.owned(me), Layout::Dense);
      TestWindow y(test.type, test.held(me), Layout::Dense);
      int64_t handle;
      ASSERT_TRUE(comm.prepare(specOf(test, CollectiveKind::HaloExchange, me,
                                      x.window(), y.window()),
                               handle)
                      .ok());
      texts[me] = comm.run(handle).message;
    });
    std::string why =
        byBorder ? "their borders differ" : "they cut differently";
    EXPECT_NE((texts[0] + texts[1])
                  .find("ranks disagree: rank 0 runs "
                        "halo_exchange of \"layer\""),
              std::string::npos)
        << texts[0];
    for (const std::string &text : texts)
      EXPECT_NE(text.find(why), std::string::npos) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, CommHalo, testing::ValuesIn(transports()),
                         [](const auto &info) { return info.param.name; });
