//===- LoaderTest.cpp - imports -------------------------------------------===//

#include "Parsing.h"

#include "hocket/Frontend/Loader.h"
#include "test/Paths.h"

#include <map>

using namespace hocket::syntax;

using Files = std::map<std::string, std::string>;

/// Paths of the loaded files, then the errors.
static std::string load(const std::string &path, const Files &files) {
  SourceManager sources;
  DiagnosticEngine engine(sources);
  auto reader = [&](const std::string &name, std::string &why) {
    auto it = files.find(name);
    why = "no such file";
    return it == files.end() ? std::nullopt
                             : std::optional<std::string>(it->second);
  };
  Program program = loadProgram(path, sources, engine, reader);
  std::string out;
  for (const auto &file : program.files) {
    out += file->path + ":";
    for (auto index : file->imports)
      out += index ? " " + program.files[*index]->path : " -";
    out += "\n";
  }
  return out + engine.render();
}

TEST(Loader, followsImportsRelativeToTheFile) {
  EXPECT_EQ(
      load("./m/a.hkt", {{"m/a.hkt", "hocket 1\nimport \"../lib/b.hkt\"\n"
                                     "import \"c.hkt\"\n"},
                         {"lib/b.hkt", "hocket 1\nimport \"d.hkt\"\n"},
                         {"lib/d.hkt", "hocket 1\n"},
                         {"m/c.hkt", "hocket 1\nimport \"../lib/d.hkt\"\n"}}),
      "m/a.hkt: lib/b.hkt m/c.hkt\n"
      "lib/b.hkt: lib/d.hkt\n"
      "lib/d.hkt:\n"
      "m/c.hkt: lib/d.hkt\n");
}

TEST(Loader, reportsMissingFiles) {
  EXPECT_EQ(load("a.hkt", {}), "error: cannot read 'a.hkt': no such file\n");
  EXPECT_EQ(load("a.hkt", {{"a.hkt", "hocket 1\nimport \"b.hkt\"\n"}}),
            "a.hkt: -\n"
            "a.hkt:2:8: error: cannot read 'b.hkt': no such file\n"
            "import \"b.hkt\"\n"
            "       ^~~~~~~\n");
}

TEST(Loader, followsImportsToADepth) {
  Files files;
  for (int i = 0; i < 101; ++i)
    files["f" + std::to_string(i) + ".hkt"] =
        "hocket 1\nimport \"f" + std::to_string(i + 1) + ".hkt\"\n";
  files["f101.hkt"] = "hocket 1\n";
  std::string found = load("f0.hkt", files);
  EXPECT_EQ(found.substr(found.find("f99.hkt:2")),
            "f99.hkt:2:8: error: imports are nested more than 100 files deep\n"
            "import \"f100.hkt\"\n"
            "       ^~~~~~~~~~\n");
  EXPECT_EQ(load("f2.hkt", files).find("error"), std::string::npos);
}

TEST(Loader, reportsCyclesWithTheChain) {
  EXPECT_EQ(load("a.hkt", {{"a.hkt", "hocket 1\nimport \"b.hkt\"\n"},
                           {"b.hkt", "hocket 1\nimport \"c.hkt\"\n"},
                           {"c.hkt", "hocket 1\nimport \"b.hkt\"\n"}}),
            "a.hkt: b.hkt\n"
            "b.hkt: c.hkt\n"
            "c.hkt: -\n"
            "c.hkt:2:8: error: files import each other in a circle: 'b.hkt' -> "
            "'c.hkt' -> 'b.hkt'\n"
            "import \"b.hkt\"\n"
            "       ^~~~~~~\n");
}

TEST(Loader, reportsDoubleAndEmptyImports) {
  EXPECT_EQ(load("a.hkt", {{"a.hkt", "hocket 1\nimport \"b.hkt\"\n"
                                     "import \"./b.hkt\"\nimport \"\"\n"},
                           {"b.hkt", "hocket 1\n"}}),
            "a.hkt: b.hkt - -\n"
            "b.hkt:\n"
            "a.hkt:3:8: error: 'b.hkt' is imported twice\n"
            "import \"./b.hkt\"\n"
            "       ^~~~~~~~~\n"
            "a.hkt:2:8: note: imported here first\n"
            "import \"b.hkt\"\n"
            "       ^~~~~~~\n"
            "a.hkt:4:8: error: expected a file name between the quotes\n"
            "import \"\"\n"
            "       ^~\n");
}

TEST(Loader, readsFromDisk) {
  std::string why;
  EXPECT_TRUE(
      readFromDisk(hocket::test::sourcePath("docs/examples/gpt2.hkt"), why));
  EXPECT_FALSE(readFromDisk(hocket::test::sourcePath("docs"), why));
  EXPECT_EQ(why, "it is a directory");
  EXPECT_FALSE(readFromDisk(hocket::test::sourcePath("docs/nothing.hkt"), why));
  EXPECT_EQ(why, "no such file");
}
