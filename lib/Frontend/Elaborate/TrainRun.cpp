//===- TrainRun.cpp - what a recipe says of a run -------------------------===//
//
// steps, seed, data, init, checkpoint and validate become `run` of nn.model,
// which goes into the plan: the options of the program have these defaults.
//
//===----------------------------------------------------------------------===//

#include "TrainRecipe.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

static const Expr *clauseOf(const Setting &setting, llvm::StringRef key) {
  for (const Setting::Clause &clause : setting.clauses)
    if (clause.key.text == key)
      return clause.value.get();
  return nullptr;
}

static std::vector<std::string> clausesOf(llvm::StringRef setting) {
  if (setting == "data")
    return {"tokens"};
  if (setting == "checkpoint")
    return {"every", "keep"};
  if (setting == "validate")
    return {"batches", "data"};
  return {};
}

bool TrainRecipe::checkClauses() {
  for (const Setting &setting : decl.settings) {
    if (setting.key.text == "precision")
      continue; // has its own
    std::vector<std::string> known = clausesOf(setting.key.text);
    llvm::StringMap<SourceRange> seen;
    for (const Setting::Clause &clause : setting.clauses) {
      auto [first, isNew] = seen.try_emplace(clause.key.text, clause.key.range);
      if (!isNew) {
        elaborator
            .error(clause.key.range, "'" + clause.key.text + "' is set twice")
            .note(first->second, "set here first");
        return false;
      }
      if (llvm::is_contained(known, clause.key.text))
        continue;
      auto &diagnostic = elaborator.error(
          clause.key.range,
          "'" + setting.key.text + "' has no clause '" + clause.key.text + "'");
      if (!known.empty())
        diagnostic.note("there is: " + llvm::join(known, ", "))
            .suggest(clause.key.text, known);
      return false;
    }
  }
  return true;
}

bool TrainRecipe::readFile(const Expr *written, const Scope &scope,
                           llvm::StringRef key, const std::string &what,
                           const std::string &example) {
  if (!written)
    return true;
  auto datum = elaborator.evaluate(*written, scope);
  if (!datum)
    return false;
  const auto *path = datum->as<std::string>();
  if (path && !path->empty()) {
    run.set(key, builder.getStringAttr(*path));
    return true;
  }
  elaborator.error(written->range, "'" + what + "' takes a path, such as \"" +
                                       example + "\", found '" +
                                       elaborator.textOf(written->range) + "'");
  return false;
}

bool TrainRecipe::readCount(const Expr *written, const Scope &scope,
                            llvm::StringRef key, int64_t lo,
                            const std::string &what) {
  auto value = count(written, scope, 0, lo, what);
  if (value && written)
    run.set(key, builder.getI64IntegerAttr(*value));
  return value.has_value();
}

bool TrainRecipe::readData(const Setting &setting, const Scope &scope) {
  const Expr *type = clauseOf(setting, "tokens");
  if (type) {
    auto *name = dynAs<NameExpr>(type);
    if (!name ||
        (name->name != "u8" && name->name != "u16" && name->name != "i32")) {
      elaborator.error(type->range, "'tokens' is u8, u16 or i32, found '" +
                                        elaborator.textOf(type->range) + "'");
      return false;
    }
    run.set("token_type", builder.getStringAttr(name->name));
  }
  return readFile(setting.value.get(), scope, "data", "data", "text.bin");
}

bool TrainRecipe::readValidation(const Setting &setting, const Scope &scope) {
  return readCount(setting.value.get(), scope, "validate_every", 1,
                   "validate") &&
         readCount(clauseOf(setting, "batches"), scope, "validation_batches", 1,
                   "batches") &&
         readFile(clauseOf(setting, "data"), scope, "validation_data", "data",
                  "held-out.bin");
}

bool TrainRecipe::readRun(const Scope &scope) {
  bool ok = true;
  auto read = [&](const char *key, auto reads) {
    if (const Setting *setting = find(key))
      ok &= reads(*setting);
  };
  read("steps", [&](const Setting &setting) {
    return readCount(setting.value.get(), scope, "steps", 1, "steps");
  });
  read("seed", [&](const Setting &setting) {
    return readCount(setting.value.get(), scope, "seed", 0, "seed");
  });
  read("data",
       [&](const Setting &setting) { return readData(setting, scope); });
  read("init", [&](const Setting &setting) {
    return readFile(setting.value.get(), scope, "weights", "init",
                    "model.safetensors");
  });
  read("checkpoint", [&](const Setting &setting) {
    return readFile(setting.value.get(), scope, "checkpoints", "checkpoint",
                    "run") &&
           readCount(clauseOf(setting, "every"), scope, "save_every", 1,
                     "every") &&
           readCount(clauseOf(setting, "keep"), scope, "keep", 1, "keep");
  });
  read("validate",
       [&](const Setting &setting) { return readValidation(setting, scope); });
  return ok;
}
