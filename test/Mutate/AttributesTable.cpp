//===- AttributesTable.cpp - changes that give another legal program ------===//

#include "Attributes.h"
#include "llvm/ADT/StringRef.h"

using namespace hocket::mutate;
using llvm::StringRef;

namespace {

enum Change { Deleted = 1, Larger = 2, Both = 3 };

/// An operation or attribute may end in *, for all that begin so.
struct Legal {
  const char *op, *name;
  Change change;
  const char *reason;
};

} // namespace

/// Beside the attributes of the definitions of nn operations that compute, and
/// lines of a schedule: those say what is computed, or asked for.
static const Legal kTable[] = {
    {"nn.model", "seed", Larger, "other random words"},
    {"nn.model", "target", Larger, "a program for GPUs"},
    {"nn.model", "train*", Larger, "another recipe"},
    {"nn.model", "run", Larger, "another number of steps, or seed, of the run"},
    {"nn.model", "run.*", Both, "a run that says less, or another number"},
    {"nn.placement", "buckets*", Larger, "other buckets, equal sums"},
    {"nn.placement", "mesh", Larger, "a mesh that is not cut so"},
    {"*", "nn.recompute*", Both, "other memory and time, equal numbers"},
    {"*", "nn.backward", Both, "another order, equal numbers"},
    {"*", "nn.delayed*", Both, "another order, equal numbers"},
    {"nn.parameter", "nn.unit", Deleted, "other buckets, equal numbers"},
    {"nn.redistribute", "nn.unit", Deleted, "other buckets, equal numbers"},
    {"spmd.*", "nn.unit", Deleted, "other buckets, equal numbers"},
    {"*", "nn.micro_batch", Both, "other groups, equal numbers"},
    {"nn.redistribute", "hook", Deleted, "a collective that no function does"},
    {"spmd.*", "hook", Deleted, "a collective that no function does"},
    {"nn.*", "nn.halo*", Both, "other exchanges of margins"},
    {"nn.value", "nn.backward_syncs", Both, "other moments and places of sums"},
    {"nn.redistribute", "nn.gathered", Deleted,
     "another time of a gather, equal numbers"},
    {"spmd.*", "spmd.origins", Deleted, "locations"},
    {"spmd.*", "id", Larger, "another number of a collective, in its order"},
    {"buffers.pack", "rows", Larger, "a weight packed for other blocks"},
    {"buffers.view", "terms", Both, "another place in a buffer"},
    {"spmd.slice", "offset", Larger, "another window of x"},
    {"spmd.place", "offset", Larger, "another place among zeros"},
    {"spmd.rotary", "positions", Larger, "other positions"},
    {"spmd.iota", "positions", Larger,
     "where the class has none of its ranks, which nothing reads"},
    {"spmd.embedding*", "rows", Larger,
     "where the class has none of its ranks, which nothing reads"},
    {"spmd.attention*", "queries", Larger,
     "queries that see other keys that the rank has"},
    {"spmd.attention*", "keys", Larger,
     "queries that see other keys that the rank has"},
    {"spmd.neighborhood*", "keys", Larger,
     "queries that see other keys that the rank has"},
    {"spmd.neighborhood*", "kernels", Larger,
     "queries that see more keys that the rank has"},
    {"spmd.neighborhood*", "dilations", Larger,
     "queries that see other keys that the rank has"},
    {"spmd.pool*", "positions", Larger, "windows of positions that it has"},
    {"spmd.pool*", "windows", Larger, "windows of positions that it has"},
    {"spmd.dropout", "draws", Larger, "other random words"},
    {"spmd.attention*", "draws", Larger, "other random words"},
    {"spmd.parameter", "init", Both, "another start of training"},
    {"spmd.state", "init", Larger, "another start of training"},
    // What is computed of the parts.
    {"spmd.rotary", "base", Larger, "what the operation computes"},
    {"spmd.rotary", "frequencies", Larger, "what the operation computes"},
    {"spmd.dropout", "p", Larger, "what the operation computes"},
    {"spmd.pool*", "taps", Larger, "what the operation computes"},
    {"spmd.pool*", "strides", Larger, "what the operation computes"},
    {"spmd.pool*", "dilations", Larger, "what the operation computes"},
    {"spmd.pool*", "lows", Larger, "what the operation computes"},
    {"spmd.pool*", "highs", Larger, "what the operation computes"},
    {"spmd.attention*", "scale", Larger, "what the operation computes"},
    {"spmd.attention*", "dropout", Larger, "what the operation computes"},
    {"spmd.attention*", "block_layout*", Larger, "what the operation computes"},
    {"spmd.attention*", "before", Both, "what the operation computes"},
    {"spmd.attention*", "after", Both, "what the operation computes"},
    {"spmd.neighborhood*", "scale", Larger, "what the operation computes"},
    {"spmd.neighborhood*", "strides", Larger, "what the operation computes"},
};

static bool matches(StringRef pattern, StringRef text) {
  return pattern.consume_back("*") ? text.starts_with(pattern)
                                   : text == pattern;
}

std::string hocket::mutate::reasonOf(const AttributePlace &place,
                                     bool isDeleted) {
  StringRef op = place.op;
  bool isOfProgram = op == "nn.model" || op == "nn.placement";
  if (place.isInherent && op.starts_with("nn.") && !isOfProgram)
    return "what the operation computes";
  if (op.starts_with("sched."))
    return "another schedule";
  for (const Legal &legal : kTable)
    if ((legal.change & (isDeleted ? Deleted : Larger)) &&
        matches(legal.op, op) && matches(legal.name, place.name))
      return legal.reason;
  return "";
}
