//===- CommExchange.cpp - both ends of a message agree --------------------===//

#include "runtime/lib/Communicator/Exchange.h"
#include "test/Runtime/HaloCase.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace hocket;
using namespace hocket::test;
using plan::CollectiveKind;
using runtime::Exchange;
using runtime::Message;

namespace {

using Messages = std::vector<Message> Exchange::*;

/// What `from` sends to `to`, in order; bytes.
std::vector<int64_t> between(const Exchange &exchange, Messages messages,
                             int64_t member) {
  std::vector<int64_t> bytes;
  for (const Message &message : exchange.*messages)
    if (message.member == member)
      bytes.push_back(message.bytes);
  return bytes;
}

/// One message at most goes from a member to another in a phase, and both ends
/// say how long it is.
void expectMatched(const std::vector<runtime::CollectiveSpec> &specs,
                   Exchange::Delivery delivery) {
  std::vector<Exchange> ends;
  for (const runtime::CollectiveSpec &spec : specs)
    ends.emplace_back(spec, nullptr, delivery);
  const std::pair<Messages, Messages> phases[] = {
      {&Exchange::sends, &Exchange::receives},
      {&Exchange::secondSends, &Exchange::secondReceives}};
  for (auto [sends, receives] : phases)
    for (size_t from = 0; from < ends.size(); ++from)
      for (size_t to = 0; to < ends.size(); ++to) {
        std::vector<int64_t> sent = between(ends[from], sends, int64_t(to));
        EXPECT_EQ(sent, between(ends[to], receives, int64_t(from)))
            << specs[0].describe() << " from " << from << " to " << to;
        EXPECT_LE(sent.size(), specs[0].pairs.size());
      }
}

std::vector<int64_t> membersOf(int64_t count) {
  std::vector<int64_t> members(count);
  std::iota(members.begin(), members.end(), 0);
  return members;
}

const Exchange::Delivery deliveries[] = {Exchange::Delivery::Direct,
                                         Exchange::Delivery::Combined,
                                         Exchange::Delivery::Late};

} // namespace

TEST(CommExchange, SendsAreReceived) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 400; ++trial) {
    int64_t members = 1 + random() % 6;
    CollectiveCase test{CollectiveKind(random() % 5)};
    test.layout = Layout(random() % 3);
    test.dim = int(random() % 3);
    test.toDim = (test.dim + 1) % 3;
    test.root = int64_t(random() % members);
    test.whole = {4, 5, 7};
    for (int64_t member = 0; member < members; ++member) {
      test.size.push_back(random() % 4);
      test.toSize.push_back(random() % 3);
    }
    test.whole[test.dim] =
        std::accumulate(test.size.begin(), test.size.end(), int64_t(0));
    if (test.kind == CollectiveKind::AllToAll)
      test.whole[test.toDim] =
          std::accumulate(test.toSize.begin(), test.toSize.end(), int64_t(0));
    std::vector<std::unique_ptr<TestWindow>> windows;
    std::vector<runtime::CollectiveSpec> specs;
    for (int64_t me = 0; me < members; ++me) {
      windows.push_back(std::make_unique<TestWindow>(
          test.type, srcShape(test, me), test.layout));
      TestWindow &src = *windows.back();
      windows.push_back(std::make_unique<TestWindow>(
          test.type, dstShape(test, me), test.layout));
      specs.push_back(
          makeSpec(test, membersOf(members), me, src, *windows.back()));
    }
    for (Exchange::Delivery delivery : deliveries)
      expectMatched(specs, delivery);
  }
}

TEST(CommExchange, MarginsThatAreSentAreReceived) {
  std::mt19937 random(11);
  const plan::Border borders[] = {plan::Border::Zero, plan::Border::Reflect,
                                  plan::Border::Replicate,
                                  plan::Border::Circular};
  for (int trial = 0; trial < 400; ++trial) {
    int64_t members = 1 + random() % 6;
    HaloCase test{trial % 5 == 0
                      ? randomRows(random, members)
                      : randomHalo(random, members, borders[random() % 4])};
    bool isReduce = random() % 2;
    std::vector<std::unique_ptr<TestWindow>> windows;
    std::vector<runtime::CollectiveSpec> specs;
    for (int64_t me = 0; me < members; ++me) {
      windows.push_back(std::make_unique<TestWindow>(test.type, test.owned(me),
                                                     Layout::Padded));
      runtime::Window owned = windows.back()->window();
      windows.push_back(std::make_unique<TestWindow>(test.type, test.held(me),
                                                     Layout::Dense));
      runtime::Window held = windows.back()->window();
      runtime::CollectiveSpec spec;
      runtime::HaloShares shares{{test.dim}, test.halo};
      spec.type = test.type;
      spec.members = membersOf(members);
      spec.me = me;
      if (isReduce) {
        spec.kind = runtime::HaloReduce{shares};
        spec.pairs = {{held, owned}};
      } else {
        spec.kind = runtime::HaloExchange{shares};
        spec.pairs = {{owned, held}};
      }
      specs.push_back(spec);
    }
    for (Exchange::Delivery delivery : deliveries)
      expectMatched(specs, delivery);
  }
}
