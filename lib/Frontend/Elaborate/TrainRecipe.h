//===- TrainRecipe.h - a train block as an attribute -----------*- C++ -*-===//
//
// `train NAME of MODEL { ... }` becomes `train` of nn.model, which
// lib/Transforms/Train makes the optimizer of:
//
//   train = {
//     name = "pretrain", optimizer = "adamw",         // or "sgd"
//     lr = {kind = "cosine", max = 6.0e-4 : f64, min = 0.0 : f64,
//           warmup = 200 : i64, steps = 3000 : i64},  // constant, linear
//     frozen = [],                                    // paths, from `lr`
//     betas = [0.9 : f64, 0.95 : f64], eps = 1.0e-8 : f64,   // adamw
//     momentum = 0.0 : f64, nesterov = false,                // sgd
//     decay = 0.1 : f64, undecayed = ["h.0.ln_1.weight"],
//     clip = 1.0 : f64,                               // 0: none
//     accumulate = 1 : i64,                           // micro-batches a step
//     loss_scale = {first = 65536.0 : f64, dynamic = true} }  // or absent
//
// `seed` is the recipe's seed; `run` holds what the recipe says of a run
// (plan::Recipe), under the names that the plan has.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_ELABORATE_TRAINRECIPE_H
#define HOCKET_FRONTEND_ELABORATE_TRAINRECIPE_H

#include "Elaborator.h"

namespace hocket::frontend {

class TrainRecipe {
public:
  TrainRecipe(Elaborator &elaborator, const syntax::TrainDecl &decl,
              mlir::MLIRContext *context)
      : elaborator(elaborator), decl(decl), builder(context) {}

  /// Which function of the model is the loss. Empty after a reported error.
  std::string lossOf(const syntax::ModuleDecl &model);
  /// Sets what nn.model says of training. False after errors.
  bool emit(mlir::ModuleOp module, const Scope &scope);

private:
  const syntax::Setting *find(llvm::StringRef key) const;
  bool readLets(Scope &scope);
  bool readOptimizer(const Scope &scope);
  bool readAdamW(const CallArguments &arguments, const Scope &scope);
  bool readSgd(const CallArguments &arguments, const Scope &scope);
  bool readRate(const syntax::CallExpr &optimizer,
                const CallArguments &arguments, const Scope &scope);
  bool readDecay(const syntax::CallExpr &optimizer,
                 const CallArguments &arguments, const Scope &scope);
  bool readSchedule(const syntax::Expr &written, const Scope &scope);
  bool readPrecision(mlir::ModuleOp module, const Scope &scope);
  bool readOthers(const Scope &scope);

  // TrainRun.cpp
  bool checkClauses();
  bool readRun(const Scope &scope);
  bool readData(const syntax::Setting &setting, const Scope &scope);
  bool readValidation(const syntax::Setting &setting, const Scope &scope);
  /// A path, into `run` as `key`; true also where it is left out.
  bool readFile(const syntax::Expr *written, const Scope &scope,
                llvm::StringRef key, const std::string &what,
                const std::string &example);
  bool readCount(const syntax::Expr *written, const Scope &scope,
                 llvm::StringRef key, int64_t lo, const std::string &what);

  /// A number in [lo, hi]; `fallback` where it is left out.
  std::optional<double> number(const syntax::Expr *expr, const Scope &scope,
                               double fallback, double lo, double hi,
                               const std::string &what);
  std::optional<int64_t> count(const syntax::Expr *expr, const Scope &scope,
                               int64_t fallback, int64_t lo,
                               const std::string &what);
  /// The parameters that `argument` excepts.
  std::optional<mlir::ArrayAttr> exceptions(const syntax::CallExpr &call,
                                            llvm::StringRef argument);
  bool checkExceptions(const syntax::CallExpr &call);
  std::optional<CallArguments> match(const syntax::CallExpr &call,
                                     llvm::ArrayRef<llvm::StringRef> names,
                                     size_t required);
  void set(llvm::StringRef name, mlir::Attribute value) {
    recipe.set(name, value);
  }

  Elaborator &elaborator;
  const syntax::TrainDecl &decl;
  mlir::Builder builder;
  mlir::NamedAttrList recipe, run;
  std::vector<std::string> parameters; // paths of the model
  int64_t seed = 0;
};

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_TRAINRECIPE_H
