//===- Graph.cpp - axes, cost and text of a kernel graph ------------------===//

#include "Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace llvm;

namespace hocket::codegen {

void LinearForm::add(int axis, int64_t coefficient) {
  if (coefficient == 0)
    return;
  auto *at = llvm::find_if(terms, [&](auto &t) { return t.first >= axis; });
  if (at != terms.end() && at->first == axis) {
    at->second += coefficient;
    if (at->second == 0)
      terms.erase(at);
    return;
  }
  terms.insert(at, {axis, coefficient});
}

int64_t LinearForm::of(int axis) const {
  for (auto &[number, coefficient] : terms)
    if (number == axis)
      return coefficient;
  return 0;
}

void LinearForm::erase(int axis) {
  llvm::erase_if(terms, [&](auto &term) { return term.first == axis; });
}

void Graph::deriveAxes() {
  for (Node &node : nodes) {
    std::set<int> all;
    for (auto &term : node.form.terms)
      all.insert(term.first);
    for (auto [k, operand] : llvm::enumerate(node.operands)) {
      std::set<int> inner(nodes[operand].axes.begin(),
                          nodes[operand].axes.end());
      if (node.kind == NodeKind::Pieces)
        inner.erase(node.pieceAxes[k]);
      all.insert(inner.begin(), inner.end());
    }
    if (node.axis >= 0)
      all.insert(node.axis);
    for (int axis : node.reduced)
      all.erase(axis);
    node.axes.assign(all.begin(), all.end());
  }
}

static void addOperands(const Graph &graph, std::vector<bool> &needed) {
  for (size_t i = graph.nodes.size(); i-- > 0;)
    if (needed[i])
      for (int operand : graph.nodes[i].operands)
        needed[operand] = true;
}

std::vector<bool> Graph::usedNodes() const {
  std::vector<bool> used(nodes.size());
  for (const Output &output : outputs)
    used[output.node] = true;
  addOperands(*this, used);
  return used;
}

std::vector<bool> Graph::neededBy(int node) const {
  std::vector<bool> needed(nodes.size());
  needed[node] = true;
  addOperands(*this, needed);
  return needed;
}

bool Graph::isRemapped(int axis) const {
  return llvm::any_of(nodes, [&](const Node &node) {
    return node.axis == axis || llvm::is_contained(node.pieceAxes, axis);
  });
}

int64_t Graph::flops() const {
  uint64_t total = 0;
  for (const Node &node : nodes) {
    if (node.kind != NodeKind::Compute && node.kind != NodeKind::Reduce)
      continue;
    std::set<int> all(node.axes.begin(), node.axes.end());
    all.insert(node.reduced.begin(), node.reduced.end());
    if (node.kind == NodeKind::Reduce)
      all.erase(node.axis); // each element is in one part
    uint64_t count = 1;
    for (int axis : all)
      count = llvm::SaturatingMultiply(count, uint64_t(axes[axis]));
    total = llvm::SaturatingAdd(total, count);
  }
  return int64_t(std::min(total, uint64_t(INT64_MAX)));
}

static void write(raw_ostream &os, const LinearForm &form) {
  os << '[';
  for (auto &[axis, coefficient] : form.terms)
    os << axis << '*' << coefficient << ' ';
  os << form.offset << ']';
}

template <typename Range> static void write(raw_ostream &os, Range &&range) {
  os << '(';
  llvm::interleave(range, os, [&](auto v) { os << int64_t(v); }, " ");
  os << ')';
}

std::string Graph::serialize() const {
  std::string text;
  raw_string_ostream os(text);
  write(os, axes);
  write(os, inputTypes);
  write(os, outputTypes);
  os << scalars << '\n';
  for (const Node &node : nodes) {
    os << int(node.kind) << ' ' << int(node.type) << ' ' << int(node.function)
       << ' ' << node.argument << ' ' << node.scalar << ' ' << node.keyLow
       << ' ' << node.keyHigh << ' ' << node.axis << ' '
       << bit_cast<uint64_t>(node.value) << ' ';
    write(os, node.operands);
    write(os, node.form);
    write(os, node.reduced);
    write(os, node.pieceAxes);
    write(os, node.begins);
    write(os, node.shifts);
    os << '\n';
  }
  for (const Output &output : outputs) {
    os << output.node;
    write(os, output.form);
    write(os, output.axes);
  }
  for (auto [input, output] : inPlace)
    os << 'i' << input << ' ' << output;
  return text;
}

//===----------------------------------------------------------------------===//
// Joining and cutting axes
//===----------------------------------------------------------------------===//

/// Whether (a, b) is stepped through as one axis, a major.
static bool canJoin(const Graph &graph, int a, int b) {
  auto together = [&](const LinearForm &form) {
    return form.of(a) == form.of(b) * graph.axes[b];
  };
  auto bothOrNeither = [&](auto &list) {
    return llvm::is_contained(list, a) == llvm::is_contained(list, b);
  };
  for (const Node &node : graph.nodes) {
    if (!together(node.form) || !bothOrNeither(node.reduced))
      return false;
    if (node.axis == a || node.axis == b ||
        llvm::is_contained(node.pieceAxes, a) ||
        llvm::is_contained(node.pieceAxes, b))
      return false;
  }
  for (const Output &output : graph.outputs)
    if (!together(output.form) || !bothOrNeither(output.axes))
      return false;
  return true;
}

static void join(Graph &graph, int a, int b) {
  for (Node &node : graph.nodes) {
    node.form.erase(a);
    llvm::erase(node.reduced, a);
  }
  for (Output &output : graph.outputs) {
    output.form.erase(a);
    llvm::erase(output.axes, a);
  }
  graph.axes[b] *= graph.axes[a];
  graph.axes[a] = 1;
}

void joinAxes(Graph &graph) {
  int count = graph.axes.size();
  std::vector<bool> gone(count);
  for (bool changed = true; changed;) {
    changed = false;
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < count; ++b)
        if (a != b && !gone[a] && !gone[b] && canJoin(graph, a, b)) {
          join(graph, a, b);
          gone[a] = changed = true;
        }
  }
  graph.deriveAxes();
}

int cutAxis(Graph &graph, int axis, int64_t block) {
  int major = graph.axes.size();
  graph.axes.push_back(graph.axes[axis] / block);
  graph.axes[axis] = block;
  auto cut = [&](LinearForm &form) { form.add(major, form.of(axis) * block); };
  auto extend = [&](auto &list) {
    if (llvm::is_contained(list, axis))
      list.push_back(major);
  };
  for (Node &node : graph.nodes) {
    cut(node.form);
    extend(node.reduced);
  }
  for (Output &output : graph.outputs) {
    cut(output.form);
    extend(output.axes);
  }
  graph.deriveAxes();
  return major;
}

DType computeType(DType stored) {
  return stored == DType::F16 || stored == DType::BF16 ? DType::F32 : stored;
}

static constexpr const char *names[] = {
    "add",  "sub",       "mul",        "div",  "pow",  "max", "min", "and",
    "or",   "eq",        "ne",         "lt",   "le",   "gt",  "ge",  "select",
    "cast", "round_f16", "round_bf16", "neg",  "abs",  "not", "exp", "log",
    "sqrt", "rsqrt",     "erf",        "erfc", "tanh", "sin", "cos"};

const char *nameOf(ScalarOp function) { return names[int(function)]; }

int operandCount(ScalarOp function) {
  if (function == ScalarOp::Select)
    return 3;
  return function < ScalarOp::Select ? 2 : 1;
}

} // namespace hocket::codegen
