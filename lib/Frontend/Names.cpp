//===- Names.cpp - names that are declared twice --------------------------===//
//
// Models and variants share their names, since a schedule is for either;
// modules are private to their file, where they share them too. Defs of a
// schedule are beside those of the files.
//
//===----------------------------------------------------------------------===//

#include "Names.h"

#include <map>

using namespace hocket::syntax;

namespace {

/// What has a name: "schedule", "model", and where.
struct Named {
  std::string kind;
  SourceRange place;
  size_t file;
};
using NameTable = std::map<std::string, Named>;

class NameChecker {
public:
  NameChecker(const Program &program, DiagnosticEngine &engine)
      : program(program), engine(engine) {}

  void check() {
    // The first file comes last: where one of its names is an import's too,
    // the error stands in it.
    for (file = program.files.size(); file-- > 0;) {
      modules.clear();
      for (const DeclPtr &decl : program.files[file]->ast.decls)
        checkDecl(*decl);
    }
    // Now all defs of the files are known.
    for (file = program.files.size(); file-- > 0;)
      for (const DeclPtr &decl : program.files[file]->ast.decls) {
        if (auto *schedule = dynAs<ScheduleDecl>(decl))
          checkBody(schedule->params, schedule->body, defs);
        if (auto *def = dynAs<DefDecl>(decl))
          checkBody(def->def->params, def->def->body, defs);
      }
  }

private:
  void checkDecl(const Decl &decl);
  void checkModule(const ModuleDecl &module);
  void checkBody(const std::vector<Parameter> &params,
                 const ScheduleBlock &body, const NameTable &defsInSight);
  void checkBlock(const ScheduleBlock &block, NameTable names, NameTable seen);

  static void addParameters(const std::vector<Parameter> &params,
                            NameTable &names, size_t file) {
    for (const Parameter &param : params)
      names[param.name.text] = {"parameter", param.name.range, file};
  }
  template <typename Lets>
  void checkLets(const std::vector<Parameter> &params, const Lets &lets) {
    NameTable names;
    addParameters(params, names, file);
    for (const auto &let : lets)
      add(names, let->name, "let");
  }

  /// Adds the name, or reports that it is there.
  void add(NameTable &names, const Name &name, const std::string &kind,
           const std::string &in = "");
  /// The line of the first file that brings in another one.
  SourceRange importOf(size_t imported) const;

  const Program &program;
  DiagnosticEngine &engine;
  size_t file = 0;
  NameTable models, schedules, recipes, defs, hooks, modules;
};

} // namespace

SourceRange NameChecker::importOf(size_t imported) const {
  // An import of an import was met after it.
  for (size_t i = imported; i > 0;) {
    size_t importer = 0;
    SourceRange line;
    for (size_t from = 0; from < i && !line.isValid(); ++from)
      for (size_t k = 0; k < program.files[from]->imports.size(); ++k)
        if (program.files[from]->imports[k] == i) {
          importer = from;
          line = program.files[from]->ast.imports[k].pathRange;
        }
    if (importer == 0)
      return line;
    i = importer;
  }
  return SourceRange();
}

void NameChecker::add(NameTable &names, const Name &name,
                      const std::string &kind, const std::string &in) {
  auto [known, isNew] = names.insert({name.text, {kind, name.range, file}});
  if (isNew)
    return;
  const Named &first = known->second;
  if (first.file == file || file == 0) {
    std::string what = first.kind == kind ? kind + " '" + name.text + "'"
                                          : "'" + name.text + "'";
    std::string how = first.kind == kind ? " is declared twice"
                                         : " is declared as a " + first.kind +
                                               " and as a " + kind;
    engine.error(name.range, what + how + in)
        .note(first.place, first.kind == kind
                               ? "here first"
                               : "the " + first.kind + " is here")
        .note("rename one of them");
    return;
  }
  engine
      .error(importOf(file), "this import brings in " + kind + " '" +
                                 name.text + "', and another one has a " +
                                 first.kind + " of that name")
      .note(first.place, "one is here")
      .note(name.range, "the other is here")
      .note("rename one of them");
}

void NameChecker::checkDecl(const Decl &decl) {
  if (auto *module = dynAs<ModuleDecl>(&decl)) {
    size_t errors = engine.getNumErrors();
    add(modules, decl.name, module->isModel ? "model" : "module");
    if (module->isModel && engine.getNumErrors() == errors)
      add(models, decl.name, "model");
    checkModule(*module);
  } else if (auto *variant = dynAs<VariantDecl>(&decl)) {
    size_t errors = engine.getNumErrors();
    add(modules, decl.name, "variant");
    if (engine.getNumErrors() == errors)
      add(models, decl.name, "variant");
    checkLets(variant->params, variant->lets);
  } else if (auto *train = dynAs<TrainDecl>(&decl)) {
    add(recipes, decl.name, "recipe");
    checkLets(train->params, train->lets);
  } else if (dynAs<ScheduleDecl>(&decl)) {
    add(schedules, decl.name, "schedule");
  } else if (dynAs<DefDecl>(&decl)) {
    add(defs, decl.name, "def");
  } else if (dynAs<HookDecl>(&decl)) {
    add(hooks, decl.name, "hook");
  }
}

void NameChecker::checkModule(const ModuleDecl &module) {
  NameTable names;
  addParameters(module.params, names, file);
  std::string in = " in '" + module.name.text + "'";
  for (const ItemPtr &item : module.items) {
    if (auto *let = dynAs<LetItem>(item))
      add(names, let->name, "let", in);
    else if (auto *member = dynAs<MemberItem>(item))
      add(names, member->name, "member", in);
    else if (auto *array = dynAs<MemberArrayItem>(item))
      add(names, array->name, "member", in);
    else if (auto *function = dynAs<FunctionItem>(item))
      add(names, function->name, "function", in);
  }
}

/// Of a schedule or a def.
void NameChecker::checkBody(const std::vector<Parameter> &params,
                            const ScheduleBlock &body,
                            const NameTable &defsInSight) {
  NameTable names;
  addParameters(params, names, file);
  checkBlock(body, std::move(names), defsInSight);
}

/// `names`: parameters and the lets so far; `seen`: the defs in sight.
void NameChecker::checkBlock(const ScheduleBlock &block, NameTable names,
                             NameTable seen) {
  for (const ScheduleStmtPtr &stmt : block.stmts) {
    if (auto *let = dynAs<LetScheduleStmt>(stmt)) {
      add(names, let->name, "let");
    } else if (auto *at = dynAs<AtStmt>(stmt)) {
      checkBlock(at->body, {}, seen);
    } else if (auto *def = dynAs<DefStmt>(stmt)) {
      add(seen, def->name, "def");
      checkBody(def->params, def->body, seen);
    }
  }
}

void hocket::syntax::checkNames(const Program &program,
                                DiagnosticEngine &engine) {
  NameChecker(program, engine).check();
}
