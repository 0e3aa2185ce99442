//===- Graph.h - what a graph of operations computes -----------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_DNN_GRAPH_H
#define HOCKET_TEST_GPU_LIBRARIES_DNN_GRAPH_H

#include "test/Gpu/Libraries/Dnn/Fused.h"
#include <variant>

namespace hocket::lookalike {

using Graph = std::variant<Problem, Fused>;

/// What the documentation forbids, or nothing.
std::string checkGraph(const Graph &graph);

/// What heuristics offer.
std::vector<Engine> enginesFor(const Graph &graph, bool isBest, int device,
                               size_t version);

/// A plan as JSON, and back; false for what planText did not write.
std::string planText(const Graph &graph, const Engine &engine, size_t version);
bool readPlan(const std::string &text, size_t version, Graph &graph,
              Engine &engine);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_DNN_GRAPH_H
