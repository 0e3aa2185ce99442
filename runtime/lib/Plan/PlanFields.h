//===- PlanFields.h - the one list of the fields of a plan -----*- C++ -*-===//
//
// The writer and the reader walk a plan through the same functions, so that a
// field cannot be written under one name and read under another. A visitor has
//   required(key, value)            always in the file
//   optional(key, value, absent)    left out of the file when equal to absent
// and gets each struct's fields in the order of the file.
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLAN_PLANFIELDS_H
#define HOCKET_LIB_PLAN_PLANFIELDS_H

#include "CollectiveFields.h"
#include "hocket/Plan/InstructionWords.h"
#include "hocket/Plan/Plan.h"
#include <array>
#include <utility>

namespace hocket::plan {

static_assert(instructionWords.size() ==
              std::variant_size_v<decltype(Instruction::body)>);

// ---- fields ---------------------------------------------------------------

template <class V> void fields(V &v, MeshAxis &x) {
  v.required("name", x.name);
  v.required("size", x.size);
}

template <class V> void fields(V &v, Table &x) {
  v.required("axes", x.axes);
  v.required("values", x.values);
}

template <class V> void fields(V &v, Buffer &x) {
  v.required("region", x.region);
  v.required("offset", x.offset);
  v.required("bytes", x.bytes);
  v.required("type", x.type);
  v.optional("strides", x.strides, {});
}

template <class V> void fields(V &v, RunTables &x) {
  v.required("begin", x.begin);
  v.required("first", x.first);
  v.required("length", x.length);
  v.required("every", x.every);
}

template <class V> void fields(V &v, Cut &x) {
  v.required("dim", x.dim);
  v.required("offset", x.offset);
  v.required("size", x.size);
  v.optional("runs", x.runs, {});
}

template <class V> void fields(V &v, Init &x) {
  v.required("kind", x.kind);
  v.required("value", x.value);
}

template <class V> void fields(V &v, GlobalTensor &x) {
  v.required("name", x.name);
  v.required("type", x.type);
  v.required("dims", x.dims);
  v.required("shape", x.shape);
  v.optional("cuts", x.cuts, {});
  v.optional("replicated_over", x.replicatedOver, {});
  v.optional("init", x.init, {});
}

template <class V> void fields(V &v, Source &x) {
  v.required("path", x.path);
  v.optional("model", x.model, {});
  v.optional("schedule", x.schedule, {});
}

template <class V> void fields(V &v, ReadParameter &x) {
  v.required("tensor", x.tensor);
  v.required("dst", x.dst);
  v.optional("only_first_of", x.onlyFirstOf, {});
}

template <class V> void fields(V &v, Kernel &x) {
  v.required("symbol", x.symbol);
  v.required("inputs", x.inputs);
  v.required("outputs", x.outputs);
  v.optional("scalars", x.scalars, {});
  v.required("extent", x.extent);
  v.optional("threads", x.threads, int64_t(0));
  v.required("flops", x.flops);
}

template <class V> void fields(V &v, FusedPostOp &x) {
  v.required("op", x.op);
  v.optional("operand", x.operand, {});
}

template <class V> void fields(V &v, Matmul &x) {
  v.required("a", x.a);
  v.required("b", x.b);
  v.required("c", x.c);
  v.optional("has_bias", x.hasBias, false);
  v.optional("bias", x.bias, {});
  v.optional("post", x.post, {});
  v.optional("packed_weight", x.packedWeight, -1);
}

template <class V> void fields(V &v, PackWeight &x) {
  v.required("packed_weight", x.packedWeight);
  v.required("b", x.b);
  v.required("m", x.m);
}

template <class V> void fields(V &v, Dropout &x) {
  v.required("p", x.p);
  v.required("key", x.key);
  v.required("step", x.step);
  v.optional("first", x.first, {});
  v.required("sizes", x.sizes);
  v.required("strides", x.strides);
}

template <class V> void fields(V &v, BlockLayout &x) {
  const BlockLayout absent;
  v.required("kind", x.kind);
  v.required("block", x.block);
  v.optional("per_head", x.perHead, false);
  v.optional("unidirectional", x.unidirectional, false);
  v.optional("local", x.local, absent.local);
  v.optional("global", x.global, absent.global);
  v.optional("horizontal", x.horizontal, false);
  v.optional("patterns", x.patterns, absent.patterns);
  v.optional("random", x.random, absent.random);
  v.optional("window", x.window, absent.window);
  if (x.kind == LayoutKind::Variable)
    v.required("locals", x.locals);
  if (x.kind == LayoutKind::Variable || x.kind == LayoutKind::BSLongformer) {
    v.required("globals", x.globals);
    v.optional("global_ends", x.globalEnds, {});
  }
  v.optional("key", x.key, int64_t(0));
  v.optional("rows", x.rows, {});
}

template <class V> void fields(V &v, Attention &x) {
  v.required("q", x.q);
  v.required("k", x.k);
  v.required("v", x.v);
  v.required("out", x.out);
  v.optional("lse", x.lse, {});
  v.optional("keep", x.keep, {});
  v.optional("query_documents", x.queryDocuments, {});
  v.optional("key_documents", x.keyDocuments, {});
  v.optional("bias", x.bias, {});
  v.required("scale", x.scale);
  v.optional("causal", x.causal, false);
  v.optional("group", x.group, int64_t(1));
  v.optional("head_offset", x.headOffset, {});
  v.optional("kv_head_offset", x.kvHeadOffset, {});
  v.optional("query_offset", x.queryOffset, {});
  v.optional("key_offset", x.keyOffset, {});
  v.optional("before", x.before, int64_t(-1));
  v.optional("after", x.after, int64_t(-1));
  v.optional("layout", x.layout, {});
  v.optional("layout_blocks", x.layoutBlocks, int64_t(0));
  v.optional("dropout", x.dropout, {});
  v.optional("term", x.isTerm, false);
  v.optional("engine", x.engine, AttentionEngine::Own);
  v.optional("nondeterministic", x.isNondeterministic, false);
}

template <class V> void fields(V &v, Embedding &x) {
  v.required("table", x.table);
  v.required("ids", x.ids);
  v.required("out", x.out);
  v.optional("vocab_offset", x.vocabOffset, {});
  v.required("vocab", x.vocab);
}

template <class V, class Forward> void fields(V &v, GradientOf<Forward> &x) {
  v.required("forward", x.forward);
  v.required("dout", x.dout);
  v.required("dq", x.dq);
  v.required("dk", x.dk);
  v.required("dv", x.dv);
  if constexpr (std::is_same_v<Forward, Attention>)
    v.optional("dbias", x.dbias, {});
}

template <class V> void fields(V &v, EmbeddingGrad &x) {
  v.required("ids", x.ids);
  v.required("dy", x.dy);
  v.required("out", x.out);
  v.optional("vocab_offset", x.vocabOffset, {});
  v.required("vocab", x.vocab);
}

template <class V> void fields(V &v, Convolution &x) {
  v.required("pass", x.pass);
  v.required("x", x.x);
  v.required("weight", x.weight);
  v.required("y", x.y);
  v.optional("bias", x.bias, {});
  v.required("strides", x.strides);
  v.required("dilations", x.dilations);
  v.required("lows", x.lows);
  v.required("highs", x.highs);
  v.optional("groups", x.groups, int64_t(1));
}

template <class V> void fields(V &v, Pooling &x) {
  v.required("kind", x.kind);
  v.optional("is_gradient", x.isGradient, false);
  v.optional("x", x.x, {});
  v.required("y", x.y);
  v.optional("dx", x.dx, {});
  v.required("taps", x.taps);
  v.required("strides", x.strides);
  v.required("dilations", x.dilations);
  v.required("lows", x.lows);
  v.required("highs", x.highs);
  v.required("extents", x.extents);
  v.required("x_first", x.xFirst);
  v.required("y_first", x.yFirst);
  v.optional("counts_border", x.countsBorder, true);
}

template <class V> void fields(V &v, NeighborhoodDim &x) {
  v.required("extent", x.window.extent);
  v.required("kernel", x.window.kernel);
  v.optional("stride", x.window.stride, int64_t(1));
  v.optional("dilation", x.window.dilation, int64_t(1));
  v.optional("causal", x.window.causal, false);
  v.optional("query_offset", x.queryOffset, {});
  v.optional("key_offset", x.keyOffset, {});
}

template <class V> void fields(V &v, NeighborhoodAttention &x) {
  v.required("q", x.q);
  v.required("k", x.k);
  v.required("v", x.v);
  v.required("out", x.out);
  v.optional("lse", x.lse, {});
  v.required("scale", x.scale);
  v.optional("group", x.group, int64_t(1));
  v.optional("head_offset", x.headOffset, {});
  v.optional("kv_head_offset", x.kvHeadOffset, {});
  v.required("dims", x.dims);
}

template <class V> void fields(V &v, Copy &x) {
  v.required("src", x.src);
  v.required("dst", x.dst);
}

template <class V> void fields(V &v, Hook &x) {
  v.required("name", x.name);
  v.required("inputs", x.inputs);
  v.required("outputs", x.outputs);
}

template <class V> void fields(V &v, Fill &x) {
  v.required("dst", x.dst);
  v.required("value", x.value);
}

template <class V> void fields(V &v, Iota &x) {
  v.required("dst", x.dst);
  v.required("dim", x.dim);
  v.optional("first", x.first, {});
}

template <class V> void fields(V &v, Constant &x) {
  v.required("dst", x.dst);
  v.required("values", x.values);
}

template <class V> void fields(V &v, Budget &x) {
  v.required("arena_bytes", x.arenaBytes);
  v.required("weight_bytes", x.weightBytes);
  v.optional("state_bytes", x.stateBytes, int64_t(0));
}

template <class V> void fields(V &v, RankClass &x) {
  v.required("ranks", x.ranks);
  v.required("budget", x.budget);
  v.required("packs", x.packs);
  v.optional("states", x.states, {});
  v.required("buffers", x.buffers);
  v.required("load", x.load);
  v.required("step", x.step);
}

template <class V> void fields(V &v, Recipe &x) {
  v.optional("data", x.data, {});
  v.optional("token_type", x.tokenType, {});
  v.optional("weights", x.weights, {});
  v.optional("checkpoints", x.checkpoints, {});
  v.optional("save_every", x.saveEvery, int64_t(0));
  v.optional("keep", x.keep, int64_t(0));
  v.optional("validation_data", x.validationData, {});
  v.optional("validate_every", x.validateEvery, int64_t(0));
  v.optional("validation_batches", x.validationBatches, int64_t(0));
  v.optional("steps", x.steps, int64_t(0));
  v.optional("seed", x.seed, int64_t(0));
}

template <class V> void fields(V &v, KernelSource &x) {
  v.required("symbol", x.symbol);
  v.optional("tables", x.tables, {});
  v.required("text", x.text);
  v.required("input_strides", x.inputStrides);
  v.required("output_strides", x.outputStrides);
  v.optional("input_alignments", x.inputAlignments, {});
  v.optional("output_alignments", x.outputAlignments, {});
  v.optional("in_place", x.inPlace, {});
}

template <class V> void fields(V &v, HookSource &x) {
  v.required("name", x.name);
  v.required("file", x.file);
}

/// Everything but the version, which the caller writes and checks first.
template <class V> void fields(V &v, Plan &x) {
  v.required("target", x.target);
  v.required("model", x.model);
  v.required("schedule", x.schedule);
  v.required("mesh", x.mesh);
  v.required("tables", x.tables);
  v.optional("row_lists", x.rowLists, {});
  v.required("sources", x.sources);
  v.required("inputs", x.inputs);
  v.required("outputs", x.outputs);
  v.required("parameters", x.parameters);
  v.optional("states", x.states, {});
  v.required("ignored", x.ignored);
  v.optional("prefixes", x.prefixes, {});
  v.required("classes", x.classes);
  v.optional("recipe", x.recipe, {});
  v.optional("validation", x.validation, {});
  v.optional("kernels", x.kernels, {});
  v.optional("hooks", x.hooks, {});
}

} // namespace hocket::plan

#endif // HOCKET_LIB_PLAN_PLANFIELDS_H
