//===- ParsePlacement.cpp - statements that place and move values ---------===//

#include "ParserImpl.h"

using namespace hocket::syntax;

/// `[DISTRIBUTION...]` behind axes, which may have their own: one says where to
/// cut, one in which order.
bool Parser::parseDistributions(std::vector<Distribution> &distributions,
                                const AxisList &axes) {
  while (atDistribution()) {
    Distribution distribution;
    beginCell(Column::Option);
    if (!parseDistribution(distribution))
      return false;
    const Distribution *first = nullptr;
    for (const Distribution &other : distributions)
      if (other.cuts() ? distribution.cuts() : other.kind == distribution.kind)
        first = &other;
    for (const AxisUse &use : axes.axes)
      if (use.distribution && use.distribution->cuts() && distribution.cuts())
        first = &*use.distribution;
    if (first) {
      engine
          .error(distribution.range,
                 "'" + std::string(sources.getText(distribution.range)) +
                     "' says again how to cut")
          .note(first->range, "here first");
      return false;
    }
    distributions.push_back(std::move(distribution));
  }
  return true;
}

/// `shard PATTERN axis DIM over AXES [DISTRIBUTION...] [override]`
bool Parser::parseShard(Stmts &stmts) {
  auto stmt = begin<ShardStmt>();
  if (!parseSubject(stmt->pattern) || !parseDim(stmt->dim, "axis") ||
      !parseAxes(stmt->axes, true))
    return false;
  if (!parseDistributions(stmt->distributions, stmt->axes))
    return false;
  parseOverride(stmt->overrideMark);
  return end(std::move(stmt), stmts);
}

/// `replicate PATTERN over AXES [override]`
bool Parser::parseReplicate(Stmts &stmts) {
  auto stmt = begin<ReplicateStmt>();
  if (!parseSubject(stmt->pattern) || !parseAxes(stmt->axes))
    return false;
  parseOverride(stmt->overrideMark);
  return end(std::move(stmt), stmts);
}

//===----------------------------------------------------------------------===//
// sync
//===----------------------------------------------------------------------===//

/// A hook may have an axis; the others need one or refuse it.
static bool needsAxis(SyncOp op) {
  return op != SyncOp::AllReduce && op != SyncOp::Broadcast &&
         op != SyncOp::Hook;
}

/// `sync PATTERN POINT OP [axis DIM [to DIM]] over AXES [DISTRIBUTION...]
/// [options]`
bool Parser::parseSync(Stmts &stmts) {
  auto stmt = begin<SyncStmt>();
  if (!parseSubject(stmt->pattern))
    return false;
  beginCell(Column::Point);
  stmt->pointRange = here();
  auto point =
      parseOneOf({"fwd_pre", "fwd_post", "bwd_pre", "bwd_post"}, lastText());
  if (!point)
    return false;
  stmt->point = static_cast<SyncPoint>(*point);
  if (!parseSyncOp(*stmt))
    return false;
  if ((atWord("axis") || (needsAxis(stmt->op) && !atWord("over"))) &&
      !parseDim(stmt->dim.emplace(), "axis"))
    return false;
  if (stmt->dim && atWord("to") && !parseDim(stmt->toDim.emplace(), "to"))
    return false;
  if (!parseAxes(stmt->axes, true) ||
      !parseDistributions(stmt->distributions, stmt->axes) ||
      !parseSyncOptions(*stmt) || !checkSync(*stmt) || !checkCut(*stmt))
    return false;
  return end(std::move(stmt), stmts);
}

/// `sync PATTERN POINT halo ...`, which older schedules have. It said nothing
/// that a line of its own does not say; `override` had no effect.
bool Parser::reportSyncHalo(const SyncStmt &sync) {
  SourceRange word = take().range;
  std::string line = "halo " + std::string(sources.getText(sync.pattern.range));
  if (!atWord("axis"))
    line += " axis DIM";
  SourceRange rest = here();
  while (!at(Kind::EndOfLine) && !at(Kind::EndOfFile) && !atWord("override"))
    take();
  if (lastRange().end > rest.begin)
    line += " " + std::string(sources.getText(since(rest)));
  engine.error(sync.pointRange.to(word),
               "a halo is a line of its own: " + line);
  return false;
}

bool Parser::parseSyncOp(SyncStmt &sync) {
  beginCell(Column::Operation);
  sync.opRange = here();
  if (atWord("halo"))
    return reportSyncHalo(sync);
  auto op =
      parseOneOf({"all_reduce", "reduce_scatter", "all_gather", "all_to_all",
                  "repartition", "slice", "broadcast", "hook"},
                 lastText());
  if (!op)
    return false;
  sync.op = static_cast<SyncOp>(*op);
  if (sync.op != SyncOp::Hook)
    return true;
  // `hook over tp` lacks the name; a hook may be called `over` all the same.
  const Token &next = lexed.tokens[pos + (at(Kind::Identifier) ? 1 : 0)];
  if (atWord("over") && text(next) != "over" && text(next) != "axis") {
    expected("the hook's name after 'hook'");
    return false;
  }
  return (sync.hook = expectName("the hook's name after 'hook'")).has_value();
}

/// `[op sum|max|min] [root N] [override]`, in any order.
bool Parser::parseSyncOptions(SyncStmt &sync) {
  while (true) {
    if (at(Kind::Identifier))
      beginCell(Column::Option);
    if (!sync.reduceOp && takeWord("op")) {
      auto op = parseOneOf({"sum", "max", "min"}, "'op'");
      if (!op)
        return false;
      sync.reduceOp = static_cast<ReduceOp>(*op);
    } else if (!sync.root && takeWord("root")) {
      if (!(sync.root = parseExpr()))
        return false;
    } else {
      break;
    }
  }
  if (atHaloOption({})) {
    engine.error(sync.opRange, std::string("'") + getSpelling(sync.op) +
                                   "' has no '" + std::string(text(current())) +
                                   "'");
    return false;
  }
  parseOverride(sync.overrideMark);
  return true;
}

/// Whether the clauses fit the operation.
bool Parser::checkSync(const SyncStmt &sync) {
  using Op = SyncOp;
  if (sync.op == Op::Hook)
    return true;
  std::string name = std::string("'") + getSpelling(sync.op) + "'";
  if (needsAxis(sync.op) && !sync.dim) {
    engine.error(sync.opRange, name + " needs the dim it works on")
        .note(std::string("write '") + getSpelling(sync.op) +
              (sync.op == Op::AllToAll ? " axis FROM to TO over ...'"
                                       : " axis DIM over ...'"));
    return false;
  }
  if (!needsAxis(sync.op) && sync.dim) {
    engine.error(sync.dim->range, name + " has no axis: it leaves every dim "
                                         "as it is");
    return false;
  }
  if (sync.op == Op::AllToAll && !sync.toDim) {
    engine
        .error(sync.dim->range,
               name + " needs two dims: the one to gather and the one to split")
        .note("write 'axis " + sync.dim->text + " to DIM'");
    return false;
  }
  if (sync.op != Op::AllToAll && sync.toDim) {
    engine.error(sync.toDim->range, "only 'all_to_all' has a second dim");
    return false;
  }
  bool reduces = sync.op == Op::AllReduce || sync.op == Op::ReduceScatter;
  const char *misfit = sync.reduceOp && !reduces               ? "op"
                       : sync.root && sync.op != Op::Broadcast ? "root"
                                                               : nullptr;
  if (!misfit)
    return true;
  engine.error(sync.opRange, name + " has no '" + std::string(misfit) + "'");
  return false;
}

/// Only what splits can say how it cuts.
bool Parser::checkCut(const SyncStmt &sync) {
  const Distribution *distribution =
      sync.distributions.empty() ? nullptr : &sync.distributions.front();
  for (const AxisUse &use : sync.axes.axes)
    if (use.distribution)
      distribution = &*use.distribution;
  bool isForward =
      sync.point == SyncPoint::FwdPre || sync.point == SyncPoint::FwdPost;
  bool splits = sync.op == SyncOp::ReduceScatter ||
                sync.op == SyncOp::AllToAll || sync.op == SyncOp::Repartition ||
                sync.op == SyncOp::Slice || sync.op == SyncOp::Hook;
  if (!distribution || (splits && isForward))
    return true;
  std::string clause(sources.getText(distribution->range));
  engine
      .error(distribution->range,
             isForward
                 ? "'" + std::string(getSpelling(sync.op)) +
                       "' splits nothing, so '" + clause + "' says nothing"
                 : "a gradient is split evenly where a line has it "
                   "scattered, so '" +
                       clause + "' says nothing")
      .note("leave '" + clause + "' out");
  return false;
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// `defer PATTERN until PATTERN axis DIM over AXES [DISTRIBUTION...]
/// [override]`
bool Parser::parseDefer(Stmts &stmts) {
  auto stmt = begin<DeferStmt>();
  if (!parseSubject(stmt->from))
    return false;
  beginCell(Column::To);
  if (!expectWord("until", lastText()) ||
      !parsePattern(stmt->until, "'until'") || !parseDim(stmt->dim, "axis") ||
      !parseAxes(stmt->axes, true) ||
      !parseDistributions(stmt->distributions, stmt->axes))
    return false;
  parseOverride(stmt->overrideMark);
  return end(std::move(stmt), stmts);
}

/// Whether what comes is an option that the halo has not yet.
bool Parser::atHaloOption(const HaloOptions &options) {
  return (!options.reach && atWord("reach")) ||
         (!options.strategy && atWord("using")) ||
         (!options.overlap && atWord("overlap")) ||
         (!options.layers && atWord("layers"));
}

bool Parser::parseHaloOption(HaloOptions &options) {
  if (atWord("reach"))
    return parseReach(options.reach.emplace());
  SourceRange begin = here();
  if (takeWord("overlap")) {
    options.overlap = begin;
    return true;
  }
  if (takeWord("using")) {
    auto strategy =
        parseOneOf({"neighbors", "all_to_all", "all_gather"}, "'using'");
    if (!strategy)
      return false;
    options.strategy = static_cast<HaloStrategy>(*strategy);
    return true;
  }
  takeWord("layers");
  return (options.layers = parseExpr()) != nullptr;
}

/// `halo PATTERN axis DIM over AXES [options]`
bool Parser::parseHalo(Stmts &stmts) {
  auto stmt = begin<HaloStmt>();
  if (!parseSubject(stmt->pattern) || !parseDim(stmt->dim, "axis") ||
      !parseAxes(stmt->axes))
    return false;
  while (atHaloOption(stmt->options)) {
    beginCell(Column::Option);
    if (!parseHaloOption(stmt->options))
      return false;
  }
  return end(std::move(stmt), stmts);
}

/// `attention PATTERN using STRATEGY over AXES, ...`
bool Parser::parseAttention(Stmts &stmts) {
  auto stmt = begin<AttentionStmt>();
  if (!parseSubject(stmt->pattern))
    return false;
  beginCell(Column::Option);
  if (!expectWord("using", lastText()))
    return false;
  do {
    AttentionStmt::Part part;
    SourceRange begin = here();
    auto strategy =
        parseOneOf({"heads", "sequence", "ring", "all_gather"}, lastText());
    if (!strategy)
      return false;
    part.strategy = static_cast<AttentionStrategy>(*strategy);
    if (!parseAxes(part.axes))
      return false;
    if (takeWord("from") && !parsePattern(part.from.emplace(), "'from'"))
      return false;
    part.range = since(begin);
    stmt->parts.push_back(std::move(part));
  } while (takeIf(Kind::Comma));
  return end(std::move(stmt), stmts);
}

/// `statistics PATTERN over AXES`
bool Parser::parseStatistics(Stmts &stmts) {
  auto stmt = begin<StatisticsStmt>();
  return parseSubject(stmt->pattern) && parseAxes(stmt->axes) &&
         end(std::move(stmt), stmts);
}
