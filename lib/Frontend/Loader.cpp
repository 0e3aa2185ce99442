//===- Loader.cpp - a file and all it imports -----------------------------===//

#include "hocket/Frontend/Loader.h"
#include "Names.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sys/stat.h>

using namespace hocket::syntax;
namespace fs = std::filesystem;

static constexpr size_t kMaxFileBytes = size_t(16) << 20;
/// Each import is a step of recursion.
static constexpr size_t kMaxImportDepth = 100;

std::optional<std::string> hocket::syntax::readFromDisk(const std::string &path,
                                                        std::string &why) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    why = "it is a directory";
    return std::nullopt;
  }
  // Opening a pipe waits for who writes into it, and it is read only once.
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    why = "it is no regular file; write '-' to read standard input";
    return std::nullopt;
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    why = errno == ENOENT || errno == 0 ? "no such file" : std::strerror(errno);
    return std::nullopt;
  }
  std::string text;
  char buffer[1 << 14];
  while (stream.read(buffer, sizeof(buffer)) || stream.gcount() > 0) {
    text.append(buffer, static_cast<size_t>(stream.gcount()));
    if (text.size() > kMaxFileBytes) {
      why = "it has more than 16 MiB";
      return std::nullopt;
    }
  }
  if (stream.bad()) {
    why = "it could not be read to its end";
    return std::nullopt;
  }
  return text;
}

/// Equal for paths that lead to the same file, by links too.
static std::string identityOf(const std::string &path) {
  struct stat file;
  if (stat(path.c_str(), &file) != 0)
    return path; // what another reader knows
  return std::to_string(file.st_dev) + ":" + std::to_string(file.st_ino);
}

namespace {
class Loader {
public:
  Loader(SourceManager &sources, DiagnosticEngine &engine,
         const FileReader &reader)
      : sources(sources), engine(engine), reader(reader) {}

  /// The index of the file at `path`; nullopt, with an error at `place`, when
  /// it cannot be loaded.
  std::optional<size_t> load(const std::string &path, SourceRange place) {
    auto known = indexOf.find(identityOf(path));
    if (known != indexOf.end()) {
      const std::string &name = program.files[known->second]->path;
      if (std::find(open.begin(), open.end(), name) == open.end())
        return known->second;
      reportCycle(name, place);
      return std::nullopt;
    }
    if (open.size() >= kMaxImportDepth) {
      engine.error(place, "imports are nested more than " +
                              std::to_string(kMaxImportDepth) + " files deep");
      return std::nullopt;
    }
    std::string why;
    auto text = reader(path, why);
    if (!text) {
      engine.error(place, "cannot read '" + path + "': " + why);
      return std::nullopt;
    }
    return parse(path, std::move(*text));
  }

  Program program;

private:
  size_t parse(const std::string &path, std::string text) {
    size_t index = program.files.size();
    indexOf[identityOf(path)] = index;
    open.push_back(path);
    FileId id = sources.addFile(path, std::move(text));
    program.files.push_back(std::make_unique<LoadedFile>());
    LoadedFile &file = *program.files.back();
    file.path = path;
    file.ast = parseFile(sources, id, engine);
    Imports seen;
    for (const ImportDecl &import : file.ast.imports)
      file.imports.push_back(loadImport(file, import, seen));
    open.pop_back();
    return index;
  }

  /// By identity, those of one file so far.
  using Imports = std::map<std::string, const ImportDecl *>;

  std::optional<size_t> loadImport(const LoadedFile &file,
                                   const ImportDecl &import, Imports &seen) {
    if (import.path.empty()) {
      engine.error(import.pathRange, "expected a file name between the quotes");
      return std::nullopt;
    }
    std::string path = resolve(file.path, import.path);
    auto [known, isNew] = seen.insert({identityOf(path), &import});
    if (!isNew) {
      std::string before = resolve(file.path, known->second->path);
      engine
          .error(import.pathRange, before == path
                                       ? "'" + path + "' is imported twice"
                                       : "'" + path + "' and '" + before +
                                             "' are one file, imported twice")
          .note(known->second->pathRange, "imported here first");
      return std::nullopt;
    }
    return load(path, import.pathRange);
  }

  static std::string resolve(const std::string &importer,
                             const std::string &path) {
    return (fs::path(importer).parent_path() / path)
        .lexically_normal()
        .generic_string();
  }

  void reportCycle(const std::string &path, SourceRange place) {
    std::string chain;
    for (auto it = std::find(open.begin(), open.end(), path); it != open.end();
         ++it)
      chain += "'" + *it + "' -> ";
    engine.error(place, "files import each other in a circle: " + chain + "'" +
                            path + "'");
  }

  SourceManager &sources;
  DiagnosticEngine &engine;
  const FileReader &reader;
  std::map<std::string, size_t> indexOf;
  /// The chain of files whose imports are being loaded.
  std::vector<std::string> open;
};
} // namespace

/// The functions that files declare of a model are among its own from here on.
static void addLosses(Program &program, DiagnosticEngine &engine) {
  std::map<std::string, const ModuleDecl *> models;
  std::vector<std::string> names;
  for (const auto &loaded : program.files)
    for (const DeclPtr &decl : loaded->ast.decls)
      if (auto *module = dynAs<ModuleDecl>(decl); module && module->isModel) {
        models.emplace(module->name.text, module);
        names.push_back(module->name.text);
      }
  for (const auto &loaded : program.files)
    for (const DeclPtr &decl : loaded->ast.decls) {
      auto *loss = const_cast<LossDecl *>(dynAs<LossDecl>(decl));
      if (!loss || !loss->function)
        continue;
      auto model = models.find(loss->base.text);
      if (model != models.end())
        const_cast<ModuleDecl *>(model->second)
            ->items.push_back(std::move(loss->function));
      else
        engine.error(loss->base.range, "no model '" + loss->base.text + "'")
            .suggest(loss->base.text, names)
            .note("a loss is of a model; a recipe of a variant takes those of "
                  "its model");
    }
}

Program hocket::syntax::loadProgram(const std::string &path,
                                    SourceManager &sources,
                                    DiagnosticEngine &diagnostics,
                                    const FileReader &reader) {
  Loader loader(sources, diagnostics, reader);
  loader.load(fs::path(path).lexically_normal().generic_string(),
              SourceRange());
  addLosses(loader.program, diagnostics);
  checkNames(loader.program, diagnostics);
  return std::move(loader.program);
}
