//===- ScheduleDirectives.cpp - one sched op for each primitive -----------===//

#include "ScheduleEmitter.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

/// True for `loss` and what is below it when only `forward` is compiled.
bool ScheduleEmitter::namesOtherFunction(const PathPattern &pattern,
                                         const Place &place) const {
  return place.prefix.empty() && !pattern.components.empty() &&
         pattern.components[0].kind == PatternComponent::Kind::Name &&
         otherFunctions.count(pattern.components[0].text);
}

bool ScheduleEmitter::emitStmt(const ScheduleStmt &stmt, Place &place) {
  switch (stmt.kind) {
  case ScheduleStmt::Kind::Let: {
    auto *let = dynAs<LetScheduleStmt>(&stmt);
    auto datum = elaborator.evaluate(*let->value, *place.scope);
    if (datum)
      place.scope->names[let->name.text] = *datum;
    else
      place.scope->failed.insert(let->name.text);
    return datum.has_value();
  }
  case ScheduleStmt::Kind::Mesh:
    if (place.prefix.empty() && place.uses.empty())
      return true;
    elaborator.error(stmt.keyword,
                     "a mesh is declared at the top of a schedule");
    return false;
  case ScheduleStmt::Kind::At:
    return emitAt(*dynAs<AtStmt>(&stmt), place);
  case ScheduleStmt::Kind::Use:
    return emitUse(*dynAs<UseStmt>(&stmt), place);
  case ScheduleStmt::Kind::Def:
    return true;
  case ScheduleStmt::Kind::Shard:
    return emitShard(*dynAs<ShardStmt>(&stmt), place);
  case ScheduleStmt::Kind::Replicate: {
    auto *replicate = dynAs<ReplicateStmt>(&stmt);
    auto pattern = absolute(replicate->pattern, place);
    auto over = axes(replicate->axes, place);
    if (!pattern || !over)
      return false;
    std::vector<mlir::NamedAttribute> attributes{
        text("pattern", *pattern), builder.getNamedAttr("over", *over)};
    flag(attributes, "isOverride", replicate->overrideMark.isValid());
    flag(attributes, "isOptional", place.isOptional);
    write<sched::ReplicateOp>(location(replicate->pattern.range, place),
                              attributes);
    return true;
  }
  case ScheduleStmt::Kind::Sync:
    return emitSync(*dynAs<SyncStmt>(&stmt), place);
  case ScheduleStmt::Kind::Defer: {
    auto *defer = dynAs<DeferStmt>(&stmt);
    auto pattern = absolute(defer->from, place);
    auto until = absolute(defer->until, place);
    auto over = axes(defer->axes, place);
    if (!pattern || !until || !over)
      return false;
    std::vector<mlir::NamedAttribute> attributes{
        text("pattern", *pattern), text("until", *until),
        text("axis", defer->dim.text), builder.getNamedAttr("over", *over)};
    if (!addCuts(attributes, defer->axes, defer->distributions, *over, place))
      return false;
    flag(attributes, "isOverride", defer->overrideMark.isValid());
    flag(attributes, "isOptional", place.isOptional);
    write<sched::DeferOp>(location(defer->from.range, place), attributes);
    return true;
  }
  case ScheduleStmt::Kind::Statistics: {
    auto *statistics = dynAs<StatisticsStmt>(&stmt);
    if (namesOtherFunction(statistics->pattern, place))
      return true;
    auto pattern = absolute(statistics->pattern, place);
    auto over = axes(statistics->axes, place);
    if (!pattern || !over)
      return false;
    std::vector<mlir::NamedAttribute> attributes{
        text("pattern", *pattern), builder.getNamedAttr("over", *over)};
    flag(attributes, "isOptional", place.isOptional);
    write<sched::StatisticsOp>(location(statistics->pattern.range, place),
                               attributes);
    return true;
  }
  case ScheduleStmt::Kind::Expect:
    return emitExpect(*dynAs<ExpectStmt>(&stmt), place);
  case ScheduleStmt::Kind::AutoReshard:
    write<sched::AutoReshardOp>(location(stmt.keyword, place), {});
    return true;
  case ScheduleStmt::Kind::Fsdp:
    return emitFsdp(*dynAs<FsdpStmt>(&stmt), place);
  case ScheduleStmt::Kind::Bucket:
    return emitBucket(*dynAs<BucketStmt>(&stmt), place);
  case ScheduleStmt::Kind::Recompute:
  case ScheduleStmt::Kind::Save:
    return emitKept(stmt, place);
  case ScheduleStmt::Kind::Hook:
    return emitHook(*dynAs<HookStmt>(&stmt), place);
  case ScheduleStmt::Kind::Fuse:
    return emitFuse(*dynAs<FuseStmt>(&stmt), place);
  case ScheduleStmt::Kind::Halo:
    return emitHalo(*dynAs<HaloStmt>(&stmt), place);
  case ScheduleStmt::Kind::Attention:
    return emitAttention(*dynAs<AttentionStmt>(&stmt), place);
  }
  return false;
}

bool ScheduleEmitter::emitFuse(const FuseStmt &stmt, Place &place) {
  std::vector<mlir::Attribute> patterns;
  for (const PathPattern &written : stmt.patterns) {
    auto pattern = absolute(written, place);
    if (!pattern)
      return false;
    patterns.push_back(builder.getStringAttr(*pattern));
  }
  std::vector<mlir::NamedAttribute> attributes{
      builder.getNamedAttr("patterns", builder.getArrayAttr(patterns))};
  flag(attributes, "isOptional", place.isOptional);
  write<sched::FuseOp>(location(stmt.keyword, place), attributes);
  return true;
}

bool ScheduleEmitter::emitBucket(const BucketStmt &stmt, Place &place) {
  auto over = axes(stmt.axes, place);
  if (!over)
    return false;
  write<sched::BucketOp>(
      location(stmt.keyword, place),
      {text("what", stmt.what.text),
       builder.getNamedAttr("bytes",
                            builder.getF64FloatAttr(stmt.size.getBytes())),
       builder.getNamedAttr("over", *over)});
  return true;
}

bool ScheduleEmitter::emitShard(const ShardStmt &stmt, Place &place) {
  auto pattern = absolute(stmt.pattern, place);
  auto over = axes(stmt.axes, place);
  if (!pattern || !over)
    return false;
  std::vector<mlir::NamedAttribute> attributes{
      text("pattern", *pattern), text("axis", stmt.dim.text),
      builder.getNamedAttr("over", *over)};
  if (!addCuts(attributes, stmt.axes, stmt.distributions, *over, place))
    return false;
  flag(attributes, "isOverride", stmt.overrideMark.isValid());
  flag(attributes, "isOptional", place.isOptional);
  write<sched::ShardOp>(location(stmt.pattern.range, place), attributes);
  return true;
}

bool ScheduleEmitter::emitSync(const SyncStmt &stmt, Place &place) {
  bool ofBackward =
      stmt.point == SyncPoint::BwdPre || stmt.point == SyncPoint::BwdPost;
  if (ofBackward && stmt.op != SyncOp::AllReduce &&
      stmt.op != SyncOp::ReduceScatter) {
    elaborator
        .error(stmt.opRange,
               "the backward is derived from the placements of the forward: a "
               "line can only say where a gradient is reduced, and " +
                   std::string(getSpelling(stmt.op)) + " does not reduce")
        .note("leave the line out; `hocket plan --grad` shows what follows, "
              "and `expect backward == { ... }` pins it");
    return false;
  }
  mlir::DictionaryAttr hook;
  std::string kind = getSpelling(stmt.op);
  if (stmt.op == SyncOp::Hook &&
      (!(hook = hookNamed(*stmt.hook)) || !readCollective(stmt, hook, kind)))
    return false;
  if (ofBackward && stmt.reduceOp && *stmt.reduceOp != ReduceOp::Sum) {
    elaborator
        .error(stmt.opRange,
               std::string("a gradient is a sum, and has no op ") +
                   getSpelling(*stmt.reduceOp))
        .note("leave 'op " + std::string(getSpelling(*stmt.reduceOp)) +
              "' out");
    return false;
  }
  auto pattern = absolute(stmt.pattern, place);
  auto over = axes(stmt.axes, place);
  if (!pattern || !over)
    return false;
  std::vector<mlir::NamedAttribute> attributes{
      text("pattern", *pattern), text("moment", getSpelling(stmt.point)),
      builder.getNamedAttr("kind", nn::RedistributeKindAttr::get(
                                       builder.getContext(),
                                       *nn::symbolizeRedistributeKind(kind))),
      builder.getNamedAttr("over", *over)};
  if (!addCuts(attributes, stmt.axes, stmt.distributions, *over, place))
    return false;
  if (hook)
    attributes.push_back(builder.getNamedAttr("hook", hook));
  if (stmt.dim)
    attributes.push_back(text("axis", stmt.dim->text));
  if (stmt.toDim)
    attributes.push_back(text("to", stmt.toDim->text));
  if (stmt.reduceOp)
    attributes.push_back(text("reduction", getSpelling(*stmt.reduceOp)));
  if (stmt.root) {
    auto root = elaborator.evaluateInt(*stmt.root, *place.scope);
    if (!root)
      return false;
    attributes.push_back(
        builder.getNamedAttr("root", builder.getI64IntegerAttr(*root)));
  }
  flag(attributes, "isOverride", stmt.overrideMark.isValid());
  flag(attributes, "isOptional", place.isOptional);
  write<sched::SyncOp>(location(stmt.pattern.range, place), attributes);
  return true;
}

/// What the backward keeps: `recompute` and `save`.
bool ScheduleEmitter::emitKept(const ScheduleStmt &stmt, Place &place) {
  auto *save = dynAs<SaveStmt>(&stmt);
  const PathPattern &written =
      save ? save->pattern : dynAs<RecomputeStmt>(&stmt)->pattern;
  auto pattern = absolute(written, place);
  if (!pattern)
    return false;
  std::vector<mlir::NamedAttribute> attributes{text("pattern", *pattern)};
  flag(attributes, "isOptional", place.isOptional);
  if (!save) {
    write<sched::RecomputeOp>(location(written.range, place), attributes);
    return true;
  }
  attributes.push_back(text("form", save->gathered ? "gathered" : "sharded"));
  write<sched::SaveOp>(location(written.range, place), attributes);
  return true;
}

bool ScheduleEmitter::emitFsdp(const FsdpStmt &stmt, Place &place) {
  auto pattern = absolute(stmt.pattern, place);
  auto over = axes(stmt.axes, place);
  if (!pattern || !over)
    return false;
  int64_t stage = 3;
  if (stmt.stage) {
    auto stated = elaborator.evaluateInt(*stmt.stage, *place.scope);
    if (!stated)
      return false;
    stage = *stated;
    if (stage < 1 || stage > 3) {
      elaborator.error(stmt.stage->range,
                       "stage " + std::to_string(stage) +
                           " of fsdp; there are 1 (optimizer state split), 2 "
                           "(gradients too) and 3 (parameters too)");
      return false;
    }
  }
  std::vector<mlir::NamedAttribute> attributes{
      text("pattern", *pattern), builder.getNamedAttr("over", *over),
      builder.getNamedAttr("stage", builder.getI64IntegerAttr(stage))};
  flag(attributes, "isOptional", place.isOptional);
  write<sched::FsdpOp>(location(stmt.pattern.range, place), attributes);
  return true;
}

/// What `expect forward` counts: what moves bytes between ranks.
static bool checkCollective(Elaborator &elaborator, const Name &name) {
  static const std::vector<std::string> known = {"all_reduce", "reduce_scatter",
                                                 "all_gather", "all_to_all",
                                                 "broadcast",  "halo"};
  if (llvm::is_contained(known, name.text))
    return true;
  elaborator.error(name.range, "'" + name.text + "' is no collective")
      .note("there is: " + llvm::join(known, ", "))
      .suggest(name.text, known);
  return false;
}

bool ScheduleEmitter::emitExpect(const ExpectStmt &stmt, Place &place) {
  const char *what = "forward";
  switch (stmt.what) {
  case ExpectStmt::What::Forward:
    break;
  case ExpectStmt::What::Backward:
    what = "backward";
    break;
  case ExpectStmt::What::Memory:
    what = "memory";
    break;
  case ExpectStmt::What::Bytes:
    what = "bytes";
    break;
  }
  std::vector<mlir::NamedAttribute> attributes{
      text("what", what), text("comparison", getSpelling(stmt.comparison))};
  if (stmt.at || !place.prefix.empty()) {
    PathPattern self;
    auto pattern = absolute(stmt.at ? *stmt.at : self, place);
    if (!pattern)
      return false;
    attributes.push_back(text("pattern", *pattern));
  }
  if (stmt.what == ExpectStmt::What::Forward ||
      stmt.what == ExpectStmt::What::Backward) {
    llvm::SmallVector<mlir::NamedAttribute> counts;
    for (const ExpectStmt::Count &count : stmt.counts) {
      if (!checkCollective(elaborator, count.collective))
        return false;
      auto value = elaborator.evaluateInt(*count.count, *place.scope);
      if (!value)
        return false;
      counts.push_back(builder.getNamedAttr(count.collective.text,
                                            builder.getI64IntegerAttr(*value)));
    }
    attributes.push_back(
        builder.getNamedAttr("counts", builder.getDictionaryAttr(counts)));
  } else {
    attributes.push_back(builder.getNamedAttr(
        "limit", builder.getF64FloatAttr(stmt.size->getBytes())));
  }
  write<sched::ExpectOp>(location(stmt.keyword, place), attributes);
  return true;
}
