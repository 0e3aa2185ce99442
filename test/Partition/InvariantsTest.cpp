//===- InvariantsTest.cpp - classes that do not agree are found -----------===//

#include "ParsedModule.h"
#include "hocket/Transforms/Partition.h"
#include <array>

using namespace mlir;
using namespace hocket;

namespace {

/// A class of these ranks, with inputs that it has whole: name, type, layout.
std::string classText(int number, const std::string &ranks,
                      const std::vector<std::array<std::string, 3>> &inputs,
                      const std::string &body) {
  std::string arguments;
  for (const auto &[name, type, layout] : inputs)
    arguments += (arguments.empty() ? "%" : ", %") + name + ": " + type +
                 " {nn.name = \"" + name + "\", spmd.cuts = #spmd.box<<" +
                 layout + ">>}";
  return "spmd.func @class" + std::to_string(number) + "(" + arguments +
         ") attributes {ranks = array<i64: " + ranks + ">} {\n" + body +
         "\nnn.return }\n";
}

std::string tensorOf(const std::string &elements) {
  return "tensor<" + elements + "xf32, #nn.layout<[" + elements + "]>>";
}

class InvariantsTest : public PartitionTest {
protected:
  /// The complaint about two classes on two ranks; empty if there is none.
  std::string complaint(std::string first, std::string second,
                        std::string ranks = "1") {
    auto classOf = [](int number, const std::string &ranks,
                      const std::string &body) {
      return classText(number, ranks,
                       {{"x", "!part", "[4]"}, {"w", "!whole", "[8]"}}, body);
    };
    return complaintAbout(classOf(0, "0", first) + classOf(1, ranks, second));
  }
  std::string complaintAbout(const std::string &classes) {
    OwningOpRef<ModuleOp> module =
        parse("!part = tensor<4xf32, #nn.layout<[4]>>\n"
              "!whole = tensor<8xf32, #nn.layout<[8]>>\n"
              "module {\nnn.placement \"s\" <tp=2> {backwardExpectations = [], "
              "buckets = [], expectations = [], moves = []}\n" +
              classes + "}");
    messages.clear();
    if (!module || succeeded(checkClasses(*module)))
      return "";
    return messages;
  }
  static std::string allReduce(int id, std::string value = "%x : (!part) -> "
                                                           "!part") {
    size_t colon = value.find(" :");
    return "%r" + std::to_string(id) + " = spmd.all_reduce sum " +
           value.substr(0, colon) +
           " over [\"tp\"] {id = " + std::to_string(id) + " : i64}" +
           value.substr(colon) + "\n";
  }
};

} // namespace

TEST_F(InvariantsTest, EqualProgramsAgree) {
  EXPECT_EQ(complaint(allReduce(0) + allReduce(1), allReduce(0) + allReduce(1)),
            "");
}

TEST_F(InvariantsTest, EveryRankHasOneClass) {
  EXPECT_EQ(complaint("", "", "0"), "rank 0 is in two classes\n");
  EXPECT_EQ(complaint("", "", "2"), "rank 2 is not one of the 2 of the mesh\n");
}

TEST_F(InvariantsTest, RanksHaveClasses) {
  EXPECT_EQ(complaintAbout(""), "rank 0 is in no class\n");
}

TEST_F(InvariantsTest, CountsAgree) {
  EXPECT_EQ(complaint(allReduce(0), ""), "has 0 collectives, @class0 has 1\n");
}

TEST_F(InvariantsTest, OrderAgrees) {
  EXPECT_NE(complaint(allReduce(0) + allReduce(1), allReduce(1) + allReduce(0))
                .find("is collective 0 of @class1, expected all_reduce over"),
            std::string::npos)
      << messages;
}

// Numbers rise, and may leave out some, where one was taken out of a dump.
TEST_F(InvariantsTest, NumbersRise) {
  auto both = [&](const std::string &body) { return complaint(body, body); };
  EXPECT_EQ(both(allReduce(1) + allReduce(3)), "");
  EXPECT_EQ(both(allReduce(1) + allReduce(0)),
            "has id 0 behind id 1, expected a larger one\n");
  EXPECT_NE(complaint(allReduce(1), allReduce(0))
                .find("is collective 0 of @class1, expected all_reduce over "
                      "[\"tp\"] with id 1 as in @class0"),
            std::string::npos)
      << messages;
}

TEST_F(InvariantsTest, ShapesAgree) {
  EXPECT_NE(complaint(allReduce(0), allReduce(0, "%w : (!whole) -> !whole"))
                .find("does not fit collective 0 of @class0, which it meets"),
            std::string::npos)
      << messages;
}

TEST_F(InvariantsTest, SharesAreWhatTheTablesSay) {
  auto gather = [](const std::string &sizes, const std::string &second) {
    return "%g = spmd.all_gather %x over [\"tp\"] {dim = 0 : i64, factor = 0 : "
           "i64, id = 0 : i64, offsets = #spmd.table<tp: [0, " +
           second + "]>, sizes = #spmd.table<" + sizes +
           ">} : (!part) -> !whole\n";
  };
  EXPECT_EQ(complaint(gather("4", "4"), gather("4", "4")), "");
  // Members of 4 and 3 elements where the tables promise 5 and 4.
  std::string nine =
      "%g = spmd.all_gather %x over [\"tp\"] {dim = 0 : i64, factor = 0 : i64, "
      "id = 0 : i64, offsets = #spmd.table<tp: [0, 5]>, sizes = "
      "#spmd.table<tp: [5, 4]>} : (!part) -> tensor<9xf32, #nn.layout<[9]>>\n";
  EXPECT_NE(complaint(nine, nine)
                .find("member 0 has 4 of the factor, its table says 5"),
            std::string::npos)
      << messages;
}

TEST_F(InvariantsTest, TypesAgree) {
  auto classOf = [](int number, const std::string &type) {
    return classText(number, std::to_string(number), {{"x", type, "[4]"}},
                     allReduce(0, "%x : (" + type + ") -> " + type));
  };
  std::string wide = "tensor<4xf64, #nn.layout<[4]>>";
  EXPECT_EQ(complaintAbout(classOf(0, wide) + classOf(1, wide)), "");
  EXPECT_NE(complaintAbout(classOf(0, wide) + classOf(1, "!part"))
                .find("does not fit collective 0 of @class0, which it meets"),
            std::string::npos)
      << messages;
}

// One rank says already that the other may read, which waits to be told.
TEST_F(InvariantsTest, WhatIsStartedIsStartedByAll) {
  std::string whole = allReduce(0), started = whole;
  started.replace(started.find(" : i64}"), 7, " : i64, isStarted}");
  started = "spmd.start %x over [\"tp\"] {id = 0 : i64} : !part\n" + started;
  EXPECT_EQ(complaint(started, started), "");
  EXPECT_NE(complaint(started, whole)
                .find("does not fit collective 0 of @class0, which it meets"),
            std::string::npos)
      << messages;
}

TEST_F(InvariantsTest, WhatIsStartedEndsNext) {
  auto both = [&](const std::string &body) {
    complaint(body, body);
    return messages;
  };
  std::string start = "spmd.start %x over [\"tp\"] {id = 0 : i64} : !part\n";
  EXPECT_EQ(both(start + allReduce(0)),
            "comes where collective 0 should end\n");
  EXPECT_EQ(both(start + start),
            "starts a collective before number 0 has ended\n");
  EXPECT_EQ(both(start), "starts a collective that does not end\n");
}

namespace {

/// A halo exchange of two members, of the first of whom `x` is what it owns;
/// a test edits one of its numbers, as one would in the text of a dump.
std::string haloExchange(const std::string &owned, const std::string &held,
                         const std::string &edited = "",
                         const std::string &instead = "") {
  std::string text =
      "%h = spmd.halo_exchange %x over [\"tp\"] {dims = array<i64: 0>, "
      "factors = array<i64: 0>, id = 0 : i64, offsets = "
      "#spmd.table<tp: [0, 4]>, sizes = #spmd.table<tp: [4, 5]>"
      ", heldOffsets = #spmd.table<tp: [-1, 3]>, heldSizes = "
      "#spmd.table<tp: [6, 7]>, extent = 9 : i64, border = "
      "#nn.border<zero>} : (" +
      tensorOf(owned) + ") -> " + tensorOf(held) + "\n";
  size_t at = edited.empty() ? std::string::npos : text.find(edited);
  return at == std::string::npos ? text
                                 : text.replace(at, edited.size(), instead);
}

} // namespace

// Each member reads what its own tables say from the others' memory, so both
// must have the same tables: else one reads what the other does not send.
TEST_F(InvariantsTest, SendsOfMarginsMatchReceives) {
  auto programs = [&](const std::string &second,
                      const std::string &owned = "5") {
    auto classOf = [](int number, const std::string &size,
                      const std::string &body) {
      return classText(number, std::to_string(number),
                       {{"x", tensorOf(size), "[" + size + "]"}}, body);
    };
    return complaintAbout(classOf(0, "4", haloExchange("4", "6")) +
                          classOf(1, owned, second));
  };
  EXPECT_EQ(programs(haloExchange("5", "7")), "");
  auto finds = [&](const std::string &second, const std::string &text,
                   const std::string &owned = "5") {
    programs(second, owned);
    EXPECT_NE(messages.find(text), std::string::npos) << messages;
  };
  // Member 1 believes that member 0 wants one row of it more.
  finds(haloExchange("5", "7", "[6, 7]", "[7, 7]"),
        "does not fit collective 0 of @class0, which it meets over [\"tp\"]");
  finds(haloExchange("5", "7", "[-1, 3]", "[-1, 2]"),
        "does not fit collective 0 of @class0, which it meets over [\"tp\"]");
  finds(haloExchange("5", "7", "#nn.border<zero>", "#nn.border<circular>"),
        "does not fit collective 0 of @class0, which it meets over [\"tp\"]");
  // Its program holds less than its table says, or owns less.
  finds(haloExchange("5", "6"),
        "member 1 has 6 of the factor, its table says 7");
  finds(haloExchange("4", "7"),
        "member 1 has 4 of the factor, its table says 5", "4");
}

// Edges name rows of others: both members must list the same.
TEST_F(InvariantsTest, SendsOfRowsMatchReceives) {
  auto classOf = [](int number, const std::string &owned,
                    const std::string &held, const std::string &rowsOfFirst) {
    std::string from = tensorOf(owned), to = tensorOf(held);
    return classText(
        number, std::to_string(number), {{"x", from, "[" + owned + "]"}},
        "%h = spmd.halo_exchange %x over [\"tp\"] {dims = array<i64: "
        "0>, factors = array<i64: 0>, id = 0 : i64, offsets = "
        "#spmd.table<tp: [0, 4]>, sizes = #spmd.table<tp: [4, 5]>, "
        "heldOffsets = #spmd.table<tp: [0, 3]>, heldSizes = "
        "#spmd.table<tp: [5, 6]>, extent = 9 : i64, border = #nn.border<zero>, "
        "rows "
        "= [array<i64: " +
            rowsOfFirst + ">, array<i64: 1, 4, 5, 6, 7, 8>]} : (" + from +
            ") -> " + to);
  };
  std::string first = classOf(0, "4", "5", "0, 1, 2, 3, 5");
  EXPECT_EQ(complaintAbout(first + classOf(1, "5", "6", "0, 1, 2, 3, 5")), "");
  EXPECT_NE(
      complaintAbout(first + classOf(1, "5", "6", "0, 1, 2, 3, 7"))
          .find("does not fit collective 0 of @class0, which it meets over"),
      std::string::npos)
      << messages;
}
