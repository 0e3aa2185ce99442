//===- OtherWords.cpp - what other systems call a line here ---------------===//

#include "hocket/Frontend/OtherWords.h"

using namespace hocket::syntax;

static const char *const kColumn =
    "shard PATTERN.{weight,bias} axis out over AXES";
static const char *const kRow = "shard PATTERN.weight axis in over AXES";
static const char *const kReduce = "sync PATTERN fwd_post all_reduce over AXES";
static const char *const kScatter =
    "sync PATTERN fwd_post reduce_scatter axis DIM over AXES";
static const char *const kGather =
    "sync PATTERN fwd_pre all_gather axis DIM over AXES";
static const char *const kSlice =
    "sync PATTERN fwd_post slice axis DIM over AXES";
static const char *const kShard = "shard PATTERN axis DIM over AXES";
static const char *const kFsdp = "fsdp PATTERN over AXES";
static const char *const kRecompute = "recompute PATTERN";
static const char *const kUlysses = "attention PATTERN using heads over AXES";
static const char *const kHalo = "halo PATTERN axis DIM over AXES";

const std::vector<OtherWord> &hocket::syntax::otherWords() {
  static const char *const megatron = "Megatron-LM";
  static const char *const dtensor = "PyTorch DTensor";
  static const char *const deepspeed = "DeepSpeed";
  static const char *const jax = "JAX";
  static const char *const slapo = "Slapo";
  static const char *const domain = "domain parallelism";
  static const std::vector<OtherWord> table = {
      {"column_parallel", megatron, {kColumn}, ""},
      {"ColumnParallelLinear", megatron, {kColumn}, ""},
      {"row_parallel", megatron, {kRow, kReduce}, ""},
      {"RowParallelLinear", megatron, {kRow, kReduce}, ""},
      {"VocabParallelEmbedding",
       megatron,
       {"shard PATTERN.weight axis vocab over AXES", kReduce},
       ""},
      {"sequence_parallel",
       megatron,
       {kGather, kScatter},
       "before what is split, and instead of the all_reduce behind it"},
      {"tensor_model_parallel_size", megatron, {}, "sizes stand in the mesh"},
      {"pipeline", megatron, {}, "there are no pipeline stages"},
      {"pipeline_model_parallel_size",
       megatron,
       {},
       "there are no pipeline stages"},
      {"recompute_granularity", megatron, {kRecompute}, ""},
      {"colwise", dtensor, {kColumn}, ""},
      {"ColwiseParallel", dtensor, {kColumn}, ""},
      {"rowwise", dtensor, {kRow, kReduce}, ""},
      {"RowwiseParallel", dtensor, {kRow, kReduce}, ""},
      {"SequenceParallel", dtensor, {kSlice}, ""},
      {"tp_plan",
       dtensor,
       {},
       "a plan is a def with a shard line for each layer"},
      {"parallelize_module", dtensor, {kShard}, ""},
      {"distribute_tensor", dtensor, {kShard}, ""},
      {"redistribute",
       dtensor,
       {kReduce, kScatter, kGather, kSlice},
       "by what the value is and is to be: one of these"},
      {"loss_parallel", dtensor, {"statistics loss over AXES"}, ""},
      {"fully_shard", dtensor, {kFsdp}, ""},
      {"checkpoint", dtensor, {kRecompute}, ""},
      {"zero", deepspeed, {"fsdp ** over AXES stage 3"}, ""},
      {"zero_optimization", deepspeed, {"fsdp ** over AXES stage 3"}, ""},
      {"tensor_parallel", deepspeed, {kColumn}, ""},
      {"DistributedAttention", deepspeed, {kUlysses}, ""},
      {"ulysses", deepspeed, {kUlysses}, ""},
      {"PartitionSpec", jax, {kShard}, ""},
      {"NamedSharding", jax, {kShard}, ""},
      {"with_sharding_constraint",
       jax,
       {kSlice, kGather, kScatter},
       "by what the value is and is to be: one of these"},
      {"psum", jax, {kReduce}, ""},
      {"psum_scatter", jax, {kScatter}, ""},
      {"ppermute", jax, {kHalo}, ""},
      {"remat", jax, {kRecompute}, ""},
      {"shard_map",
       jax,
       {},
       "`at PATTERN { ... }` holds the lines of a module"},
      {"sch",
       slapo,
       {kShard},
       "`at PATTERN { ... }` holds the lines of a module"},
      {"pipeline_split", slapo, {}, "there are no pipeline stages"},
      {"for", slapo, {}, "`at h.* { ... }` is the loop"},
      {"scatter_tensor", domain, {kShard}, ""},
      {"ShardTensor", domain, {kShard}, ""},
      {"halo_exchange", domain, {kHalo}, ""},
  };
  return table;
}

const OtherWord *hocket::syntax::findOtherWord(std::string_view word) {
  for (const OtherWord &other : otherWords())
    if (other.word == word)
      return &other;
  return nullptr;
}

std::string hocket::syntax::noteOf(const OtherWord &word) {
  std::string text = "'" + word.word + "' of " + word.system;
  if (word.lines.empty())
    return text + ": " + word.remark;
  text += word.lines.size() == 1 ? " is here:" : " is here, as lines:";
  for (const std::string &line : word.lines)
    text += (word.lines.size() == 1 ? " " : "\n  ") + line;
  return word.remark.empty()
             ? text
             : text + (word.lines.size() == 1 ? "; " : "\n  ") + word.remark;
}
