//===- FormatTest.cpp - canonical text ------------------------------------===//

#include "Parsing.h"

#include "hocket/Frontend/Loader.h"
#include "test/Paths.h"

#include <filesystem>

using namespace hocket::syntax;

/// The canonical text, after checking that it is a fixed point, means the same
/// and holds all comments.
static std::string format(const std::string &text) {
  Parsed first(text);
  auto once = formatFile(first.sources, first.id, first.engine);
  EXPECT_EQ(first.engine.render(), "");
  if (!once)
    return "error";
  Parsed second(*once);
  auto twice = formatFile(second.sources, second.id, second.engine);
  EXPECT_EQ(second.engine.render(), "");
  EXPECT_EQ(twice.value_or("error"), *once);
  EXPECT_EQ(dumpOf(*once), dumpOf(text));
  return *once;
}

TEST(Format, isAFixedPointOnTheExamples) {
  unsigned count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(
           hocket::test::sourcePath("docs/examples"))) {
    if (entry.path().extension() != ".hkt")
      continue;
    SCOPED_TRACE(entry.path().string());
    std::string why;
    auto text = readFromDisk(entry.path().string(), why);
    ASSERT_TRUE(text) << why;
    std::string formatted = format(*text);
    auto hashes = [](const std::string &text) {
      return std::count(text.begin(), text.end(), '#');
    };
    EXPECT_EQ(hashes(formatted), hashes(*text));
    ++count;
  }
  EXPECT_GE(count, 7u);
}

TEST(Format, setsSpaces) {
  EXPECT_EQ(format(R"(hocket   1
module A( n :int=3,s:str = "a  b" ){
w=F( n,- n , ( a , ), bias=false )
forward ( x : f32 [ a,(b , c=2) ] )->f32 [ ] {
y=x [ : ,0 , 1 : n ]. t (a )**2
z  =  not  a  and-b<=3   if c else [1 ,2]
return   y
}
}
schedule s for M{
at h.*( count 3 ){ shard a.{ b , c }[ 0 .. 3 ] axis 0 over( x , y ) }
sync . fwd_post all_reduce over tp
mesh( tp=2 )
expect forward =={all_gather :2}
}
)"),
            R"(hocket 1
module A(n: int = 3, s: str = "a  b") {
  w = F(n, -n, (a,), bias = false)
  forward(x: f32[a, (b, c = 2)]) -> f32[] {
    y = x[:, 0, 1:n].t(a) ** 2
    z = not a and -b <= 3 if c else [1, 2]
    return y
  }
}
schedule s for M {
  at h.* (count 3) { shard a.{b,c}[0..3] axis 0 over (x, y) }
  sync . fwd_post all_reduce over tp
  mesh (tp = 2)
  expect forward == { all_gather: 2 }
}
)");
}

TEST(Format, breaksBlocksAsTheSourceDoes) {
  EXPECT_EQ(format(R"(hocket 1
module A() {

  f() { return x }
  g() { return x
  }
  h() {

    for a in b { c = d }
    for a in b { for c in d {
      x = 1 } }

  }
}
schedule e for M {
}
schedule c for M { # why
}
)"),
            R"(hocket 1
module A() {
  f() { return x }
  g() {
    return x
  }
  h() {
    for a in b { c = d }
    for a in b {
      for c in d {
        x = 1
      }
    }
  }
}
schedule e for M { }
schedule c for M {  # why
}
)");
}

TEST(Format, alignsLikeLines) {
  EXPECT_EQ(format(R"(hocket 1
module A() {
  let half = 2
  a = F()
  bcd = [G() for i in 0..3]

  longer = F()
  # between
  b = F()
}
schedule s for M {
  shard a axis heads over tp
  shard a.b axis in over tp aligned 2
  shard c axis out over tp
  replicate c over tp
  sync a fwd_pre all_gather axis seq over tp
  sync a.b fwd_post reduce_scatter axis seq over tp
}
train t of M {
  loss loss
  optimizer f()
}
)"),
            R"(hocket 1
module A() {
  let half = 2
  a   = F()
  bcd = [G() for i in 0..3]

  longer = F()
  # between
  b = F()
}
schedule s for M {
  shard a   axis heads over tp
  shard a.b axis in    over tp aligned 2
  shard c   axis out   over tp
  replicate c over tp
  sync a   fwd_pre  all_gather     axis seq over tp
  sync a.b fwd_post reduce_scatter axis seq over tp
}
train t of M {
  loss      loss
  optimizer f()
}
)");
}

TEST(Format, keepsComments) {
  EXPECT_EQ(format(R"(#!first
hocket 1 # version


# about A
module A( # params
    n: int, # one
    # own
    m: int) {   # head
      # first


  a = F() # a
  abc = F(1, # inner
     2)
  b = F() # b
  # last
}
# end)"),
            R"(#!first
hocket 1  # version

# about A
module A(  # params
  n: int,  # one
  # own
  m: int) {  # head
  # first

  a = F()     # a
  abc = F(1,  # inner
          2)
  b = F()  # b
  # last
}
# end
)");
}

TEST(Format, indentsContinuedLines) {
  EXPECT_EQ(format(R"(hocket 1
model M(a: int,
  b: int
) {
  forward(
      x: f32[a],
  ) {
    y = f(g(1,
      2), [
    3,
      4
      ])
    return (a +
    b)
  }
}
)"),
            R"(hocket 1
model M(a: int,
        b: int
       ) {
  forward(
    x: f32[a],
  ) {
    y = f(g(1,
            2), [
              3,
              4
            ])
    return (a +
            b)
  }
}
)");
}

TEST(Format, leavesPatternsWhole) {
  EXPECT_EQ(format("hocket 1\nschedule s for M {\n"
                   "halo ** axis x over t\nhalo *.a_*.** axis 0 over t\n"
                   "recompute .\nfuse {.,a}.b,h.0.1.c,[even].x\n}\n"),
            "hocket 1\nschedule s for M {\n"
            "  halo **       axis x over t\n  halo *.a_*.** axis 0 over t\n"
            "  recompute .\n  fuse {.,a}.b, h.0.1.c, [even].x\n}\n");
}

TEST(Format, refusesFilesWithErrors) {
  Parsed parsed("hocket 1\nmodule A( {\n}\n");
  EXPECT_FALSE(formatFile(parsed.sources, parsed.id, parsed.engine));
  EXPECT_TRUE(parsed.engine.hasErrors());
}
