//===- Campaign.cpp - many mutations, by a seed ---------------------------===//

#include "test/Gpu/Mutations/Campaign.h"
#include <algorithm>
#include <atomic>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace hocket::mutations {

std::vector<Outcome> readJournal(const std::string &file, uint64_t seed) {
  std::vector<Outcome> read;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    auto json = nlohmann::ordered_json::parse(line, nullptr,
                                              /*allow_exceptions=*/false);
    if (!json.is_discarded() && json.at("seed") == seed) // not one cut off
      read.push_back(Outcome::fromJson(json));
  }
  return read;
}

namespace {

/// What the threads of a campaign share.
class Campaign {
public:
  explicit Campaign(const CampaignOptions &options)
      : options(options), kernels(options.folder, options.tests),
        programs(options.folder + "/programs", options.programs) {
    if (!options.journal.empty())
      outcomes = readJournal(options.journal, options.seed);
    for (const Outcome &outcome : outcomes)
      done.insert(outcome.number);
    next = options.begin;
  }

  std::vector<Outcome> run() {
    std::vector<std::thread> threads;
    for (unsigned job = 0; job < options.jobs; ++job)
      threads.emplace_back([this, job] { work(job); });
    for (std::thread &thread : threads)
      thread.join();
    if (!failure.empty())
      throw std::runtime_error(failure);
    std::sort(
        outcomes.begin(), outcomes.end(),
        [](const Outcome &a, const Outcome &b) { return a.number < b.number; });
    return std::move(outcomes);
  }

private:
  void work(unsigned job) {
    std::string scratch = options.folder + "/job" + std::to_string(job);
    for (;;) {
      uint64_t number = next++;
      if (number >= options.begin + options.count)
        return;
      if (done.count(number))
        continue;
      try {
        add(runOne(number, scratch));
      } catch (const std::exception &error) {
        std::lock_guard<std::mutex> held(mutex);
        failure = "mutation " + std::to_string(number) + ": " + error.what();
        return;
      }
    }
  }

  /// Draws until a mutation is of something that happens.
  Outcome runOne(uint64_t number, const std::string &scratch) const {
    Rng rng(options.seed * 1000003 + number);
    Outcome outcome;
    for (int draws = 0; draws < 100; ++draws) {
      outcome = Outcome();
      outcome.number = number;
      uint64_t turn = number % 20;
      if (turn < 9) {
        outcome.family = "runtime kernel";
        kernels.run(rng, scratch, outcome);
      } else if (turn < 14) {
        outcome.family = "generated kernel";
        programs.runGenerated(rng, scratch, outcome);
      } else {
        outcome.family = "host call";
        programs.runCall(rng, scratch, outcome);
      }
      if (outcome.verdict != Verdict::NotLive)
        return outcome;
    }
    throw std::runtime_error("nothing that is drawn happens");
  }

  void add(const Outcome &outcome) {
    std::lock_guard<std::mutex> held(mutex);
    outcomes.push_back(outcome);
    if (options.journal.empty())
      return;
    nlohmann::ordered_json json = {{"seed", options.seed}};
    json.update(outcome.json());
    std::ofstream(options.journal, std::ios::app)
        << json.dump(-1, ' ', false,
                     nlohmann::ordered_json::error_handler_t::replace)
        << "\n";
  }

  const CampaignOptions &options;
  KernelStock kernels;
  ProgramStock programs;
  std::set<uint64_t> done;
  std::atomic<uint64_t> next{0};
  std::mutex mutex;
  std::vector<Outcome> outcomes;
  std::string failure;
};

} // namespace

std::vector<Outcome> runCampaign(const CampaignOptions &options) {
  return Campaign(options).run();
}

std::vector<Outcome> unexplained(const std::vector<Outcome> &outcomes) {
  std::vector<Outcome> found;
  for (const Outcome &outcome : outcomes)
    if (outcome.verdict == Verdict::Survived && explanationOf(outcome).empty())
      found.push_back(outcome);
  return found;
}

} // namespace hocket::mutations
