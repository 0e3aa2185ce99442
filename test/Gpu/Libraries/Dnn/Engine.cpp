//===- Engine.cpp - the engines of the look-alike and their plans ---------===//

#include "test/Gpu/Libraries/Device.h"
#include "test/Gpu/Libraries/Dnn/Graph.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace hocket::lookalike {

/// Of the partial sums of Order::Halves.
static int64_t partialBytes(const Problem &problem) {
  return 2 * problem.result().elements() * (problem.isDouble() ? 8 : 4);
}

std::vector<Engine> fallbackEngines(const Problem &) {
  return {{0, Order::Taps, {}, 0}};
}

std::vector<Engine> bestEngines(const Problem &problem, int device) {
  std::vector<Engine> good = {{2, Order::Chunks, {}, 0},
                              {1, Order::Halves, {}, partialBytes(problem)},
                              {0, Order::Taps, {}, 0}};
  std::rotate(good.begin(), good.begin() + tasteOf(device) % good.size(),
              good.end());
  // Sums of 16-bit types run on tensor cores, which round nothing of them.
  bool isNarrow = bytesOf(problem.x.type) == 2;
  for (Engine &engine : good)
    if (isNarrow && engine.index > 0)
      engine.notes = {DnnNoteTensorCore};
  DnnNote rounds = isNarrow ? DnnNoteRoundsSums : DnnNoteRoundsInputs;
  std::vector<Engine> all = {{10, Order::Random, {DnnNoteNondeterministic}, 0},
                             {11, Order::Rounded, {rounds}, 0},
                             {12, Order::Rounded, {DnnNoteWinograd}, 0},
                             {13, Order::Rounded, {}, int64_t(1) << 45}};
  if (problem.x.type == DnnF32)
    all[1].notes = {DnnNoteTensorCore};
  all.insert(all.end(), good.begin(), good.end());
  return all;
}

std::string checkGraph(const Graph &graph) {
  return std::visit([](const auto &one) { return one.check(); }, graph);
}

std::vector<Engine> enginesFor(const Graph &graph, bool isBest, int device,
                               size_t version) {
  if (auto *fused = std::get_if<Fused>(&graph))
    return isBest ? bestEngines(*fused, device, version)
                  : std::vector<Engine>();
  const Problem &problem = std::get<Problem>(graph);
  return isBest ? bestEngines(problem, device) : fallbackEngines(problem);
}

static uint64_t sumOf(const Numbers &numbers) {
  uint64_t sum = 0x6c6f6f6b;
  for (int64_t number : numbers)
    sum = sum * 31 + static_cast<uint64_t>(number);
  return sum;
}

std::string planText(const Graph &graph, const Engine &engine, size_t version) {
  Numbers numbers =
      std::visit([](const auto &one) { return one.pack(); }, graph);
  nlohmann::json json = {{"version", version},
                         {"engine", engine.index},
                         {"order", static_cast<int64_t>(engine.order)},
                         {"notes", engine.notes},
                         {"workspace", engine.workspace},
                         {"kind", graph.index()},
                         {"graph", numbers},
                         {"sum", sumOf(numbers)}};
  return json.dump();
}

bool readPlan(const std::string &text, size_t version, Graph &graph,
              Engine &engine) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || json.size() != 8 ||
      json.value("version", size_t(0)) != version)
    return false;
  Numbers numbers = json.value("graph", Numbers());
  engine.index = json.value("engine", int64_t(0));
  engine.order = Order(json.value("order", int64_t(0)));
  engine.notes = json.value("notes", std::vector<int>());
  engine.workspace = json.value("workspace", int64_t(0));
  if (json.value("kind", 0) == 1)
    graph = Fused();
  else
    graph = Problem();
  return json.value("sum", uint64_t(0)) == sumOf(numbers) &&
         std::visit([&](auto &one) { return one.unpack(numbers); }, graph);
}

} // namespace hocket::lookalike
