//===- Spelling.cpp - the words of the language for AST enumerators -------===//

#include "hocket/Frontend/Ast.h"

using namespace hocket::syntax;

template <typename E, size_t N>
static const char *pick(const char *const (&words)[N], E value) {
  return words[static_cast<size_t>(value)];
}

const char *hocket::syntax::getSpelling(BinaryOp op) {
  static const char *const words[] = {"+",  "-",  "*",  "/",   "//",
                                      "%",  "**", "<",  "<=",  ">",
                                      ">=", "==", "!=", "and", "or"};
  return pick(words, op);
}

const char *hocket::syntax::getSpelling(UnaryOp op) {
  static const char *const words[] = {"-", "+", "not"};
  return pick(words, op);
}

const char *hocket::syntax::getSpelling(ParamType type) {
  static const char *const words[] = {"int", "float", "bool",
                                      "dim", "str",   "mesh_axis"};
  return pick(words, type);
}

const char *hocket::syntax::getSpelling(ScheduleStmt::Kind kind) {
  static const char *const words[] = {
      "let",       "mesh",       "at",        "use",          "def",
      "shard",     "replicate",  "sync",      "defer",        "halo",
      "attention", "statistics", "recompute", "save",         "fsdp",
      "fuse",      "bucket",     "expect",    "auto reshard", "hook"};
  return pick(words, kind);
}

const char *hocket::syntax::getSpelling(Distribution::Kind kind) {
  static const char *const words[] = {"zigzag", "striped", "aligned", "sizes",
                                      "weights"};
  return pick(words, kind);
}

const char *hocket::syntax::getSpelling(SyncPoint point) {
  static const char *const words[] = {"fwd_pre", "fwd_post", "bwd_pre",
                                      "bwd_post"};
  return pick(words, point);
}

const char *hocket::syntax::getSpelling(SyncOp op) {
  static const char *const words[] = {
      "all_reduce",  "reduce_scatter", "all_gather", "all_to_all",
      "repartition", "slice",          "broadcast",  "hook"};
  return pick(words, op);
}

const char *hocket::syntax::getSpelling(ReduceOp op) {
  static const char *const words[] = {"sum", "max", "min"};
  return pick(words, op);
}

const char *hocket::syntax::getSpelling(HaloStrategy strategy) {
  static const char *const words[] = {"neighbors", "all_to_all", "all_gather"};
  return pick(words, strategy);
}

const char *hocket::syntax::getSpelling(AttentionStrategy strategy) {
  static const char *const words[] = {"heads", "sequence", "ring",
                                      "all_gather"};
  return pick(words, strategy);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

bool PathPattern::isPlain() const {
  for (const PatternComponent &component : components)
    if (component.kind != PatternComponent::Kind::Name)
      return false;
  return true;
}
