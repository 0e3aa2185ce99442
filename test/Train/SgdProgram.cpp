//===- SgdProgram.cpp - a training step written by hand -------------------===//

#include "SgdProgram.h"

using namespace hocket;

namespace {

/// Writes one operation after another. Axes of size 1 are not written.
struct Writer {
  int dp, tp;
  std::string text;

  std::string split(const std::string &axis, const std::string &what) const {
    return (axis == "dp" ? dp : tp) > 1 ? ", " + axis + ": " + what : "";
  }
  /// f32 [b, o], or another of the shapes below.
  static std::string tensor(const std::string &shape, const std::string &dims,
                            const std::string &placement,
                            const std::string &element = "f32") {
    std::string layout = dims + placement;
    if (dims.empty() && !placement.empty())
      layout = placement.substr(2);
    return "tensor<" + shape + element + ", #nn.layout<" + layout + ">>";
  }
  std::string x() const {
    return tensor("6x5x", "[batch=6] [in=5]", split("dp", "S(0.0)"));
  }
  std::string y() const {
    return tensor("6x3x", "[batch=6] [out=3]",
                  split("dp", "S(0.0)") + split("tp", "S(1.0)"));
  }
  std::string yTransposed() const {
    return tensor("3x6x", "[out=3] [batch=6]",
                  split("tp", "S(0.0)") + split("dp", "S(1.0)"));
  }
  std::string weight(const std::string &more = "") const {
    return tensor("3x5x", "[out=3] [in=5]", split("tp", "S(0.0)") + more);
  }
  static std::string scalar(const std::string &placement = "",
                            const std::string &element = "f32") {
    return tensor("", "", placement, element);
  }

  void line(const std::string &words) { text += "    " + words + "\n"; }
  /// `%to` = `%from` with its partial sums over `axis` added.
  void reduce(const std::string &axis, const std::string &to,
              const std::string &from, const std::string &partial,
              const std::string &whole) {
    bool isLive = (axis == "dp" ? dp : tp) > 1;
    if (isLive)
      line("%" + to + " = nn.redistribute all_reduce %" + from + " over [\"" +
           axis + "\"] : (" + partial + ") -> " + whole);
    else
      line("%" + to + " = nn.value binding \"" + to + "\" %" + from + " : (" +
           partial + ") -> " + whole);
  }
};

} // namespace

std::string test::sgdProgram(int dp, int tp, bool returnsBefore) {
  Writer w{dp, tp, {}};
  std::string one = w.scalar(), weight = w.weight(), y = w.y();
  std::string mesh = "dp=" + std::to_string(dp) + ", tp=" + std::to_string(tp);
  w.text = "// stage placed: written by hand\nmodule {\n"
           "  nn.model \"Line\" target cpu gradients none {ignore = [], "
           "otherArguments = "
           "[], precision = {}, prefixes = [], run = {}, seed = 0 : i64, "
           "train = {}}\n  nn.placement \"by_hand\" <" +
           mesh +
           "> {backwardExpectations = [], buckets = [], expectations = [], "
           "moves = []}\n"
           "  nn.func @forward(%x: " +
           w.x() + " {nn.name = \"x\"}, %t: " + y + " {nn.name = \"t\"}, " +
           "%step: " + w.scalar("", "i32") + " {nn.name = \"step\"}) -> (" +
           one + (returnsBefore ? ", " + weight : "") +
           ") attributes {buffers = [], outputs = [\"loss\"" +
           (returnsBefore ? ", \"before\"" : "") + "]} {\n";
  w.line("%w = nn.parameter \"w\" {init = #nn.init<constant 1.0 : f64>} : " +
         weight);
  w.line("%m = nn.state \"momentum.w\" {init = 0.0 : f64} : " + weight);
  w.line("%y = nn.linear %x, %w : (" + w.x() + ", " + weight + ") -> " + y);
  std::string same = " : (" + y + ", " + y + ") -> " + y;
  w.line("%d = nn.binary sub %y, %t" + same);
  w.line("%square = nn.binary mul %d, %d" + same);
  std::string overDp = w.split("dp", "P(sum)");
  std::string both = w.scalar(overDp + w.split("tp", "P(sum)"));
  w.line("%terms = nn.reduce sum %square {dims = array<i64: 0, 1>} : (" + y +
         ") -> " + both);
  w.reduce("tp", "partial", "terms", both, w.scalar(overDp));
  w.reduce("dp", "loss", "partial", w.scalar(overDp), one);
  w.line("%dt = nn.rearrange %d {source = #nn.layout<[batch=6] [out=3]>, "
         "order = [[1], [0]]} : (" +
         y + ") -> " + w.yTransposed());
  std::string partialWeight = w.weight(overDp);
  w.line("%half = nn.matmul %dt, %x : (" + w.yTransposed() + ", " + w.x() +
         ") -> " + partialWeight);
  w.reduce("dp", "sum", "half", partialWeight, weight);
  std::string by = " : (" + weight + ", " + one + ") -> " + weight;
  std::string sum = " : (" + weight + ", " + weight + ") -> " + weight;
  w.line("%two = nn.fill {value = 2.0 : f64} : () -> " + one);
  w.line("%g = nn.binary mul %sum, %two" + by);
  w.line("%mu = nn.fill {value = 5.0e-1 : f64} : () -> " + one);
  w.line("%kept = nn.binary mul %m, %mu" + by);
  w.line("%m1 = nn.binary add %kept, %g" + sum);
  w.line("%rate = nn.fill {value = 6.25e-2 : f64} : () -> " + one);
  w.line("%change = nn.binary mul %m1, %rate" + by);
  w.line("%w1 = nn.binary sub %w, %change" + sum);
  w.line("nn.assign \"momentum.w\" %m1 : " + weight);
  w.line("nn.assign \"w\" %w1 : " + weight);
  w.line(returnsBefore ? "nn.return %loss, %w : " + one + ", " + weight
                       : "nn.return %loss : " + one);
  w.text += "  }\n}\n";
  return w.text;
}
