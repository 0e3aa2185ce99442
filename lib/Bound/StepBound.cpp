//===- StepBound.cpp - the least time of a step on a described GPU --------===//

#include "hocket/Bound/StepBound.h"
#include "hocket/Plan/InstructionWords.h"
#include "hocket/Plan/Summary.h"
#include <algorithm>
#include <map>

namespace hocket::bound {

double sumOf(const SecondsByLimit &seconds) {
  double sum = 0;
  for (double one : seconds)
    sum += one;
  return sum;
}

size_t StepBound::slowestClass() const {
  auto longest =
      std::max_element(slowest.begin(), slowest.end(), [](auto &a, auto &b) {
        return sumOf(a.total.seconds) < sumOf(b.total.seconds);
      });
  return longest - slowest.begin();
}

namespace {

struct Least {
  double seconds = 0;
  Limit limit = Limit::Launch;

  void atLeast(double other, Limit why) {
    if (other <= seconds)
      return;
    seconds = other;
    limit = why;
  }
};

double rateOf(const DescribedDevice &device, plan::Unit unit) {
  switch (unit) {
  case plan::Unit::HalfMatrix:
    return device.halfMatrix;
  case plan::Unit::F64Matrix:
    return device.f64Matrix;
  case plan::Unit::F32:
    return device.f32;
  case plan::Unit::F64:
    return device.f64;
  }
  return 0;
}

bool isMatrix(plan::Unit unit) {
  return unit == plan::Unit::HalfMatrix || unit == plan::Unit::F64Matrix;
}

/// An instruction with all that its time follows from, except what it receives.
struct Costed {
  plan::Work work;
  runtime::cuda::LaunchCounts launches;
  double share = 1; // of the device's multiprocessors

  Least least(const DescribedDevice &device, int64_t launched) const {
    Least result;
    result.atLeast(double(launched) * device.launch, Limit::Launch);
    result.atLeast((double(work.readBytes) + double(work.writtenBytes)) /
                       device.memory,
                   Limit::Memory);
    result.atLeast(double(work.flops) / (rateOf(device, work.unit) * share),
                   isMatrix(work.unit) ? Limit::Matrix : Limit::Vector);
    return result;
  }
};

/// The row of an instruction, by what it is called.
class Rows {
public:
  explicit Rows(RankBound &bound) : bound(bound) {}

  KindBound &of(const std::string &kind) {
    auto [found, isNew] = numbers.insert({kind, bound.kinds.size()});
    if (isNew)
      bound.kinds.emplace_back().kind = kind;
    return bound.kinds[found->second];
  }
  KindBound &of(const plan::Instruction &instruction) {
    auto *collective = std::get_if<plan::Collective>(&instruction.body);
    return of(collective ? plan::toString(collective->namedKind())
                         : plan::instructionWords[instruction.body.index()]);
  }

private:
  RankBound &bound;
  std::map<std::string, size_t> numbers;
};

void count(const Costed &one, KindBound &row) {
  ++row.calls;
  row.launches += one.launches;
  int64_t &flops = row.flops[size_t(one.work.unit)];
  flops = plan::saturatingSum(flops, one.work.flops);
  row.readBytes = plan::saturatingSum(row.readBytes, one.work.readBytes);
  row.writtenBytes =
      plan::saturatingSum(row.writtenBytes, one.work.writtenBytes);
}

void addUp(RankBound &bound) {
  KindBound &total = bound.total;
  for (const KindBound &row : bound.kinds) {
    total.calls += row.calls;
    total.launches += row.launches;
    for (size_t unit = 0; unit < row.flops.size(); ++unit)
      total.flops[unit] =
          plan::saturatingSum(total.flops[unit], row.flops[unit]);
    total.readBytes = plan::saturatingSum(total.readBytes, row.readBytes);
    total.writtenBytes =
        plan::saturatingSum(total.writtenBytes, row.writtenBytes);
    total.receivedBytes += row.receivedBytes;
    for (size_t limit = 0; limit < row.seconds.size(); ++limit)
      total.seconds[limit] += row.seconds[limit];
    total.hiddenSeconds += row.hiddenSeconds;
  }
}

/// What ranks receive in each collective of a step, by its id.
using ReceivedById = std::map<int64_t, std::vector<plan::Received>>;

/// Goes through the step of a rank with two clocks: of what computes, and of
/// the collectives, one of which runs at a time.
class Walk {
public:
  Walk(const DescribedDevice &device, const ReceivedById &received,
       RankBound &bound)
      : device(device), received(received), bound(bound), rows(bound) {}

  void add(const plan::Instruction &instruction, const Costed &one) {
    if (auto *wait = std::get_if<plan::Wait>(&instruction.body))
      return end(wait->id);
    KindBound &row = rows.of(instruction);
    count(one, row);
    auto *collective = std::get_if<plan::Collective>(&instruction.body);
    if (collective && collective->moves())
      return begin(*collective, one, row);
    Least least = one.least(device, one.launches.all());
    row.seconds[size_t(least.limit)] += least.seconds;
    now += least.seconds;
  }

private:
  struct Begun {
    std::string kind;
    double end;
    Least least;
  };

  void begin(const plan::Collective &collective, const Costed &one,
             KindBound &row) {
    auto found = received.find(collective.id);
    int64_t bytes =
        found == received.end() ? 0 : found->second[bound.rank].bytes;
    row.receivedBytes += bytes;
    Least least = one.least(device, 1);
    least.atLeast(double(bytes) / device.link, Limit::Link);
    linkFree = std::max(linkFree, now) + least.seconds;
    open[collective.id] = {row.kind, linkFree, least};
    if (!collective.isStarted)
      end(collective.id);
  }

  /// What is left of it is waited for; the rest of it was hidden.
  void end(int64_t id) {
    const auto &[kind, when, least] = open.at(id);
    double waited = std::max(when - now, 0.0);
    KindBound &row = rows.of(kind);
    row.seconds[size_t(least.limit)] += waited;
    row.hiddenSeconds += std::max(least.seconds - waited, 0.0);
    now += waited;
  }

  const DescribedDevice &device;
  const ReceivedById &received;
  RankBound &bound;
  Rows rows;
  double now = 0, linkFree = 0;
  std::map<int64_t, Begun> open;
};

double shareOf(const plan::Instruction &instruction,
               const DescribedDevice &device) {
  auto *kernel = std::get_if<plan::Kernel>(&instruction.body);
  if (!kernel || kernel->extent == 0)
    return 1;
  return std::min(1.0, double(kernel->extent) / device.multiprocessors);
}

/// The bounds of the ranks of a class.
class ClassBound {
public:
  ClassBound(const plan::Plan &plan, const plan::RankClass &rankClass,
             const DescribedDevice &device, const ReceivedById &received)
      : plan(plan), rankClass(rankClass), device(device), received(received) {}

  runtime::Status find(RankBound &slowest, std::vector<double> &seconds) {
    runtime::Status status =
        runtime::cuda::demandsOf(plan, rankClass, rankClass.step, demands);
    if (!status.ok())
      return status;
    double most = -1;
    for (const std::vector<int64_t> &ranks :
         plan::ranksOfEqualWork(plan, rankClass)) {
      std::vector<Costed> costed = cost(ranks[0]);
      for (int64_t rank : ranks) {
        RankBound bound = walk(rank, costed);
        seconds[rank] = sumOf(bound.total.seconds);
        if (seconds[rank] <= most)
          continue;
        most = seconds[rank];
        slowest = std::move(bound);
      }
    }
    return status;
  }

private:
  std::vector<Costed> cost(int64_t rank) const {
    std::vector<Costed> list;
    for (size_t i = 0; i < rankClass.step.size(); ++i)
      list.push_back({plan::workOf(rankClass.step[i], plan, rankClass, rank),
                      demands[i].launches, shareOf(rankClass.step[i], device)});
    return list;
  }
  RankBound walk(int64_t rank, const std::vector<Costed> &costed) const {
    RankBound bound;
    bound.rank = rank;
    Walk walk(device, received, bound);
    for (size_t i = 0; i < costed.size(); ++i)
      walk.add(rankClass.step[i], costed[i]);
    addUp(bound);
    return bound;
  }

  const plan::Plan &plan;
  const plan::RankClass &rankClass;
  const DescribedDevice &device;
  const ReceivedById &received;
  std::vector<runtime::cuda::Demands> demands; // by instruction of the step
};

} // namespace

runtime::Status boundStep(const plan::Plan &plan, const DescribedDevice &device,
                          StepBound &bound) {
  plan::Traffic traffic(plan, &plan::RankClass::step);
  ReceivedById received;
  for (const plan::Traffic::Entry &entry : traffic.entries())
    received[entry.collective->id] = traffic.byRank(entry);
  bound.secondsPerRank.assign(plan.rankCount(), 0);
  bound.slowest.assign(plan.classes.size(), {});
  for (size_t k = 0; k < plan.classes.size(); ++k) {
    ClassBound one(plan, plan.classes[k], device, received);
    runtime::Status status = one.find(bound.slowest[k], bound.secondsPerRank);
    if (!status.ok())
      return status;
  }
  return runtime::Status::success();
}

} // namespace hocket::bound
