//===- ScheduleErrorsTest.cpp - errors in schedules -----------------------===//

#include "Parsing.h"

using namespace hocket::syntax;

TEST(ScheduleErrors, mesh) {
  EXPECT_EQ(
      scheduleErrorsOf("mesh"),
      "t.hkt:3:7: error: expected '(' after 'mesh', found the end of the line\n"
      "  mesh\n"
      "      ^\n"
      "note: write 'mesh (tp = 4)'\n");
  EXPECT_EQ(scheduleErrorsOf("mesh ()"),
            "t.hkt:3:3: error: a mesh has at least one axis\n"
            "  mesh ()\n"
            "  ^~~~~~~\n"
            "note: write 'mesh (tp = 4)', or no mesh for one device\n");
  EXPECT_EQ(scheduleErrorsOf("mesh (2)"),
            "t.hkt:3:9: error: expected a name and a size for this mesh axis\n"
            "  mesh (2)\n"
            "        ^\n"
            "note: write 'mesh (tp = 4)'\n");
  EXPECT_EQ(scheduleErrorsOf("mesh (tp = 2, tp = 3)"),
            "t.hkt:3:17: error: argument 'tp' is given twice\n"
            "  mesh (tp = 2, tp = 3)\n"
            "                ^~\n"
            "t.hkt:3:9: note: here first\n"
            "  mesh (tp = 2, tp = 3)\n"
            "        ^~\n");
}

TEST(ScheduleErrors, statements) {
  EXPECT_EQ(scheduleErrorsOf("mseh (tp = 2)"),
            "t.hkt:3:3: error: expected a schedule statement, found 'mseh'\n"
            "  mseh (tp = 2)\n"
            "  ^~~~\n"
            "note: did you mean 'mesh'?\n"
            "note: there are: mesh, at, use, def, let, shard, replicate, sync, "
            "defer, halo, attention, statistics, recompute, save, fsdp, fuse, "
            "bucket, hook, expect, auto\n");
  EXPECT_EQ(scheduleErrorsOf("auto shard"),
            "t.hkt:3:8: error: expected 'reshard' after 'auto', found 'shard'\n"
            "  auto shard\n"
            "       ^~~~~\n");
  EXPECT_EQ(
      scheduleErrorsOf("use x"),
      "t.hkt:3:8: error: expected '(' after 'x', found the end of the line\n"
      "  use x\n"
      "       ^\n");
  EXPECT_EQ(scheduleErrorsOf("use f(x) at"),
            "t.hkt:3:14: error: expected a path after 'at', found the end of "
            "the line\n"
            "  use f(x) at\n"
            "             ^\n");
  EXPECT_EQ(scheduleErrorsOf("at h.* (cuont 3) { }"),
            "t.hkt:3:11: error: expected a condition on the matches: 'count' "
            "or 'optional', found 'cuont'\n"
            "  at h.* (cuont 3) { }\n"
            "          ^~~~~\n"
            "note: did you mean 'count'?\n");
  EXPECT_EQ(scheduleErrorsOf("at h.* recompute ."),
            "t.hkt:3:10: error: expected '{' after the scope of 'at', found "
            "'recompute'\n"
            "  at h.* recompute .\n"
            "         ^~~~~~~~~\n");
  EXPECT_EQ(scheduleErrorsOf("def f { }"),
            "t.hkt:3:9: error: expected '(' after def 'f', found '{'\n"
            "  def f { }\n"
            "        ^\n");
}

TEST(ScheduleErrors, shard) {
  EXPECT_EQ(scheduleErrorsOf("shard a axs h over tp"),
            "t.hkt:3:11: error: expected 'axis' after 'a', found 'axs'\n"
            "  shard a axs h over tp\n"
            "          ^~~\n"
            "note: did you mean 'axis'?\n");
  EXPECT_EQ(
      scheduleErrorsOf("shard a.b.{c,d} over tp"),
      "t.hkt:3:19: error: expected 'axis' after 'a.b.{c,d}', found 'over'\n"
      "  shard a.b.{c,d} over tp\n"
      "                  ^~~~\n");
  EXPECT_EQ(scheduleErrorsOf("shard a.b axis h"),
            "t.hkt:3:19: error: expected 'over' after 'h', found the end of "
            "the line\n"
            "  shard a.b axis h\n"
            "                  ^\n");
  EXPECT_EQ(scheduleErrorsOf("shard a. axis h over tp"),
            "t.hkt:3:12: error: expected a path component right after '.', "
            "found 'axis'\n"
            "  shard a. axis h over tp\n"
            "           ^~~~\n");
  EXPECT_EQ(scheduleErrorsOf("shard a axis -1 over tp"),
            "t.hkt:3:16: error: expected a dim's name or position after "
            "'axis', found '-'\n"
            "  shard a axis -1 over tp\n"
            "               ^\n");
  EXPECT_EQ(scheduleErrorsOf("shard a axis h over (tp, tp)"),
            "t.hkt:3:28: error: mesh axis 'tp' occurs twice\n"
            "  shard a axis h over (tp, tp)\n"
            "                           ^~\n"
            "t.hkt:3:24: note: here first\n"
            "  shard a axis h over (tp, tp)\n"
            "                       ^~\n");
  EXPECT_EQ(scheduleErrorsOf("shard a axis h over ()"),
            "t.hkt:3:23: error: expected a mesh axis between '(' and ')'\n"
            "  shard a axis h over ()\n"
            "                      ^~\n");
  EXPECT_EQ(scheduleErrorsOf("shard a axis h over tp zigzag zigzag"),
            "t.hkt:3:33: error: 'zigzag' says again how to cut\n"
            "  shard a axis h over tp zigzag zigzag\n"
            "                                ^~~~~~\n"
            "t.hkt:3:26: note: here first\n"
            "  shard a axis h over tp zigzag zigzag\n"
            "                         ^~~~~~\n");
  EXPECT_EQ(scheduleErrorsOf("shard a axis h over (x aligned 2, y) sizes (3)"),
            "t.hkt:3:40: error: 'sizes (3)' says again how to cut\n"
            "  shard a axis h over (x aligned 2, y) sizes (3)\n"
            "                                       ^~~~~~~~~\n"
            "t.hkt:3:26: note: here first\n"
            "  shard a axis h over (x aligned 2, y) sizes (3)\n"
            "                         ^~~~~~~~~\n");
  EXPECT_EQ(scheduleErrorsOf("sync a fwd_post all_reduce over tp sizes (3, 5)"),
            "t.hkt:3:38: error: 'all_reduce' splits nothing, so 'sizes (3, 5)' "
            "says nothing\n"
            "  sync a fwd_post all_reduce over tp sizes (3, 5)\n"
            "                                     ^~~~~~~~~~~~\n"
            "note: leave 'sizes (3, 5)' out\n");
  EXPECT_EQ(scheduleErrorsOf(
                "sync a bwd_pre reduce_scatter axis h over (x sizes (3), y)"),
            "t.hkt:3:48: error: a gradient is split evenly where a line has it "
            "scattered, so 'sizes (3)' says nothing\n"
            "  sync a bwd_pre reduce_scatter axis h over (x sizes (3), y)\n"
            "                                               ^~~~~~~~~\n"
            "note: leave 'sizes (3)' out\n");
  EXPECT_EQ(scheduleErrorsOf("shard a axis h over tp sizes 3"),
            "t.hkt:3:32: error: expected '(' after 'sizes', found '3'\n"
            "  shard a axis h over tp sizes 3\n"
            "                               ^\n");
  EXPECT_EQ(
      scheduleErrorsOf("shard a axis h over tp sizes ()"),
      "t.hkt:3:32: error: expected one value a rank after 'sizes', found none\n"
      "  shard a axis h over tp sizes ()\n"
      "                               ^~\n");
  EXPECT_EQ(scheduleErrorsOf("shard a axis h over tp zigzg"),
            "t.hkt:3:26: error: expected the end of the line, found 'zigzg'\n"
            "  shard a axis h over tp zigzg\n"
            "                         ^~~~~\n"
            "note: did you mean 'zigzag'?\n");
  EXPECT_EQ(scheduleErrorsOf("replicate a over (tp zigzag)"),
            "t.hkt:3:24: error: expected ',' or ')' after a mesh axis, found "
            "'zigzag'\n"
            "  replicate a over (tp zigzag)\n"
            "                       ^~~~~~\n");
}

TEST(ScheduleErrors, transports) {
  EXPECT_EQ(scheduleErrorsOf("attention a as ring over tp"),
            "t.hkt:3:15: error: expected 'using' after 'a', found 'as'\n"
            "  attention a as ring over tp\n"
            "              ^~\n");
  EXPECT_EQ(scheduleErrorsOf("halo a axis h over tp using ring"),
            "t.hkt:3:31: error: expected 'neighbors', 'all_to_all' or "
            "'all_gather' after 'using', found 'ring'\n"
            "  halo a axis h over tp using ring\n"
            "                              ^~~~\n");
}

TEST(ScheduleErrors, sync) {
  EXPECT_EQ(scheduleErrorsOf("sync a fwd_psot all_reduce over tp"),
            "t.hkt:3:10: error: expected 'fwd_pre', 'fwd_post', 'bwd_pre' or "
            "'bwd_post' after 'a', found 'fwd_psot'\n"
            "  sync a fwd_psot all_reduce over tp\n"
            "         ^~~~~~~~\n"
            "note: did you mean 'fwd_post'?\n");
  EXPECT_EQ(scheduleErrorsOf("sync a fwd_post allreduce over tp"),
            "t.hkt:3:19: error: expected 'all_reduce', 'reduce_scatter', "
            "'all_gather', 'all_to_all', 'repartition', 'slice', 'broadcast' "
            "or 'hook' after 'fwd_post', found 'allreduce'\n"
            "  sync a fwd_post allreduce over tp\n"
            "                  ^~~~~~~~~\n"
            "note: did you mean 'all_reduce'?\n");
  EXPECT_EQ(
      scheduleErrorsOf("sync a.{b,c} fwd_pre halo  axis seq over tp reach "
                       "(1, 2) overlap override"),
      "t.hkt:3:16: error: a halo is a line of its own: halo a.{b,c} axis "
      "seq over tp reach (1, 2) overlap\n"
      "  sync a.{b,c} fwd_pre halo  axis seq over tp reach (1, 2) overlap "
      "override\n"
      "               ^~~~~~~~~~~~\n");
  EXPECT_EQ(scheduleErrorsOf("sync a bwd_post halo over tp # what it reads"),
            "t.hkt:3:10: error: a halo is a line of its own: halo a axis DIM "
            "over tp\n"
            "  sync a bwd_post halo over tp # what it reads\n"
            "         ^~~~~~~~~~~~~\n");
  EXPECT_EQ(scheduleErrorsOf("sync a fwd_post all_reduce axis seq over tp"),
            "t.hkt:3:35: error: 'all_reduce' has no axis: it leaves every dim "
            "as it is\n"
            "  sync a fwd_post all_reduce axis seq over tp\n"
            "                                  ^~~\n");
  EXPECT_EQ(scheduleErrorsOf("sync a fwd_post all_gather over tp"),
            "t.hkt:3:19: error: 'all_gather' needs the dim it works on\n"
            "  sync a fwd_post all_gather over tp\n"
            "                  ^~~~~~~~~~\n"
            "note: write 'all_gather axis DIM over ...'\n");
  EXPECT_EQ(scheduleErrorsOf("sync a fwd_post all_to_all axis seq over tp"),
            "t.hkt:3:35: error: 'all_to_all' needs two dims: the one to gather "
            "and the one to split\n"
            "  sync a fwd_post all_to_all axis seq over tp\n"
            "                                  ^~~\n"
            "note: write 'axis seq to DIM'\n");
  EXPECT_EQ(
      scheduleErrorsOf("sync a fwd_post all_gather axis seq to h over tp"),
      "t.hkt:3:42: error: only 'all_to_all' has a second dim\n"
      "  sync a fwd_post all_gather axis seq to h over tp\n"
      "                                         ^\n");
  EXPECT_EQ(
      scheduleErrorsOf("sync a fwd_post all_gather axis seq over tp op max"),
      "t.hkt:3:19: error: 'all_gather' has no 'op'\n"
      "  sync a fwd_post all_gather axis seq over tp op max\n"
      "                  ^~~~~~~~~~\n");
  EXPECT_EQ(scheduleErrorsOf("sync a fwd_post all_reduce over tp op prod"),
            "t.hkt:3:41: error: expected 'sum', 'max' or 'min' after 'op', "
            "found 'prod'\n"
            "  sync a fwd_post all_reduce over tp op prod\n"
            "                                        ^~~~\n");
  EXPECT_EQ(scheduleErrorsOf("sync a fwd_post broadcast over tp reach 1"),
            "t.hkt:3:19: error: 'broadcast' has no 'reach'\n"
            "  sync a fwd_post broadcast over tp reach 1\n"
            "                  ^~~~~~~~~\n");
  EXPECT_EQ(scheduleErrorsOf("sync a fwd_post all_reduce over tp root 1"),
            "t.hkt:3:19: error: 'all_reduce' has no 'root'\n"
            "  sync a fwd_post all_reduce over tp root 1\n"
            "                  ^~~~~~~~~~\n");
  EXPECT_EQ(
      scheduleErrorsOf("sync a fwd_post all_gather seq over tp"),
      "t.hkt:3:30: error: expected 'axis' after 'all_gather', found 'seq'\n"
      "  sync a fwd_post all_gather seq over tp\n"
      "                             ^~~\n");
  EXPECT_EQ(
      scheduleErrorsOf("sync a fwd_post hook over tp"),
      "t.hkt:3:24: error: expected the hook's name after 'hook', found 'over'\n"
      "  sync a fwd_post hook over tp\n"
      "                       ^~~~\n");
}

TEST(ScheduleErrors, others) {
  EXPECT_EQ(scheduleErrorsOf("defer a axis seq over tp"),
            "t.hkt:3:11: error: expected 'until' after 'a', found 'axis'\n"
            "  defer a axis seq over tp\n"
            "          ^~~~\n");
  EXPECT_EQ(scheduleErrorsOf("attention a over tp"),
            "t.hkt:3:15: error: expected 'using' after 'a', found 'over'\n"
            "  attention a over tp\n"
            "              ^~~~\n");
  EXPECT_EQ(scheduleErrorsOf("attention a using ringg over tp"),
            "t.hkt:3:21: error: expected 'heads', 'sequence', 'ring' or "
            "'all_gather' after 'using', found 'ringg'\n"
            "  attention a using ringg over tp\n"
            "                    ^~~~~\n"
            "note: did you mean 'ring'?\n");
  EXPECT_EQ(scheduleErrorsOf("halo a axis seq over tp reach (1, 2, 3)"),
            "t.hkt:3:33: error: expected a reach to the left and one to the "
            "right, as in '(1, 2)'\n"
            "  halo a axis seq over tp reach (1, 2, 3)\n"
            "                                ^~~~~~~~~\n");
  EXPECT_EQ(scheduleErrorsOf("recompute"),
            "t.hkt:3:12: error: expected a path after 'recompute', found the "
            "end of the line\n"
            "  recompute\n"
            "           ^\n");
  EXPECT_EQ(scheduleErrorsOf("save x"),
            "t.hkt:3:9: error: expected 'sharded' or 'gathered' after 'x', "
            "found the end of the line\n"
            "  save x\n"
            "        ^\n");
  EXPECT_EQ(scheduleErrorsOf("bucket grads 3 MiB over dp"),
            "t.hkt:3:10: error: expected 'gradients' or 'parameters' after "
            "'bucket', found 'grads'\n"
            "  bucket grads 3 MiB over dp\n"
            "         ^~~~~\n");
  EXPECT_EQ(scheduleErrorsOf("bucket gradients over dp"),
            "t.hkt:3:20: error: expected a size such as '4 GiB' after "
            "'gradients', found 'over'\n"
            "  bucket gradients over dp\n"
            "                   ^~~~\n");
}

TEST(ScheduleErrors, expect) {
  EXPECT_EQ(scheduleErrorsOf("expect forwards"),
            "t.hkt:3:10: error: expected 'forward', 'backward', 'memory' or "
            "'bytes' after 'expect', found 'forwards'\n"
            "  expect forwards\n"
            "         ^~~~~~~~\n"
            "note: did you mean 'forward'?\n");
  EXPECT_EQ(scheduleErrorsOf("expect memory 4 GiB"),
            "t.hkt:3:17: error: expected a comparison such as '<' or '==' "
            "after 'memory', found '4'\n"
            "  expect memory 4 GiB\n"
            "                ^\n");
  EXPECT_EQ(scheduleErrorsOf("expect memory < 4 Gib"),
            "t.hkt:3:21: error: expected 'B', 'kB', 'MB', 'GB', 'TB', 'KiB', "
            "'MiB', 'GiB' or 'TiB' after '4', found 'Gib'\n"
            "  expect memory < 4 Gib\n"
            "                    ^~~\n"
            "note: did you mean 'GiB'?\n");
  EXPECT_EQ(scheduleErrorsOf("expect memory < lots"),
            "t.hkt:3:19: error: expected a size such as '4 GiB' after '<', "
            "found 'lots'\n"
            "  expect memory < lots\n"
            "                  ^~~~\n");
  EXPECT_EQ(scheduleErrorsOf("expect forward < { a: 1 }"),
            "t.hkt:3:18: error: expected '==' after 'forward', found '<'\n"
            "  expect forward < { a: 1 }\n"
            "                 ^\n");
  EXPECT_EQ(scheduleErrorsOf("expect forward == { a: 1, a: 2 }"),
            "t.hkt:3:29: error: 'a' is counted twice\n"
            "  expect forward == { a: 1, a: 2 }\n"
            "                            ^\n"
            "t.hkt:3:23: note: here first\n"
            "  expect forward == { a: 1, a: 2 }\n"
            "                      ^\n");
  EXPECT_EQ(scheduleErrorsOf("expect forward == { a 1 }"),
            "t.hkt:3:25: error: expected ':' after 'a', found '1'\n"
            "  expect forward == { a 1 }\n"
            "                        ^\n");
}

TEST(ScheduleErrors, hooks) {
  EXPECT_EQ(scheduleErrorsOf("hook h.0 rms"),
            "t.hkt:3:12: error: expected 'with' after 'h.0', found 'rms'\n"
            "  hook h.0 rms\n"
            "           ^~~\n");
  EXPECT_EQ(errorsOf("hocket 1\nhook f {\n  form \"f.cpp\"\n}\n"),
            "t.hkt:3:3: error: expected a setting of the hook: 'from', 'cuda', "
            "'split', 'derivative' or 'collective', found 'form'\n"
            "  form \"f.cpp\"\n"
            "  ^~~~\n"
            "note: did you mean 'from'?\n");
  EXPECT_EQ(errorsOf("hocket 1\nhook f {\n  split a\n  split b\n}\n"),
            "t.hkt:4:3: error: 'split' is set twice\n"
            "  split b\n"
            "  ^~~~~\n"
            "t.hkt:3:3: note: set here first\n"
            "  split a\n"
            "  ^~~~~\n");
}
