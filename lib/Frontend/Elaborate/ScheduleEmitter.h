//===- ScheduleEmitter.h - schedule statements to sched ops -----*- C++ -*-===//
//
// Expands `at`, `use` and `def`, evaluates numbers, and writes each directive
// with an absolute pattern. Nothing is matched here.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_ELABORATE_SCHEDULEEMITTER_H
#define HOCKET_FRONTEND_ELABORATE_SCHEDULEEMITTER_H

#include "Elaborator.h"
#include "dialects/Sched/Sched.h"
#include <set>

namespace hocket::frontend {

/// A hook and the folder that its file's name is relative to.
struct DeclaredHook {
  const syntax::HookDecl *decl;
  std::string folder;
};

class ScheduleEmitter {
public:
  ScheduleEmitter(Elaborator &elaborator, mlir::MLIRContext *context,
                  std::vector<const syntax::DefStmt *> defs,
                  std::vector<DeclaredHook> hooks,
                  std::set<std::string> otherFunctions)
      : elaborator(elaborator), context(context), builder(context),
        defs(std::move(defs)), hooks(std::move(hooks)),
        otherFunctions(std::move(otherFunctions)) {}

  /// Writes sched.schedule with all directives of `decl` into `module`. False
  /// after reported errors.
  bool emit(mlir::ModuleOp module, const syntax::ScheduleDecl &decl,
            Scope &scope);

private:
  /// Where a block stands: the pattern its paths are relative to, the names in
  /// sight, and the calls of `use` it came through.
  struct Place {
    std::string prefix;
    Scope *scope;
    std::vector<mlir::Location> uses;
    unsigned depth = 0;
    bool isOptional = false;
  };

  bool emitMesh(const syntax::ScheduleBlock &block, Scope &scope,
                nn::MeshAttr &mesh);
  bool emitBlock(const syntax::ScheduleBlock &block, Place &place);
  bool emitStmt(const syntax::ScheduleStmt &stmt, Place &place);
  bool emitAt(const syntax::AtStmt &stmt, Place &place);
  bool emitUse(const syntax::UseStmt &stmt, Place &place);
  bool emitKept(const syntax::ScheduleStmt &stmt, Place &place);
  bool emitBucket(const syntax::BucketStmt &stmt, Place &place);
  bool emitShard(const syntax::ShardStmt &stmt, Place &place);
  bool emitSync(const syntax::SyncStmt &stmt, Place &place);
  bool emitExpect(const syntax::ExpectStmt &stmt, Place &place);
  bool emitFsdp(const syntax::FsdpStmt &stmt, Place &place);
  bool emitFuse(const syntax::FuseStmt &stmt, Place &place);

  // Cuts.cpp
  /// How the axes cut what they split, if that is said. False after a reported
  /// error.
  bool addCuts(std::vector<mlir::NamedAttribute> &attributes,
               const syntax::AxisList &list,
               const std::vector<syntax::Distribution> &distributions,
               mlir::ArrayAttr over, const Place &place);
  bool addCut(std::vector<mlir::Attribute> &cuts,
              const syntax::Distribution &distribution, mlir::ArrayAttr over,
              const Place &place);
  bool checkOrder(const syntax::Distribution &distribution,
                  llvm::ArrayRef<int64_t> values, mlir::ArrayAttr over);
  bool checkCut(const syntax::Distribution &distribution,
                llvm::ArrayRef<int64_t> values, mlir::ArrayAttr over);

  // ScheduleHalo.cpp
  bool emitHalo(const syntax::HaloStmt &stmt, Place &place);
  bool emitAttention(const syntax::AttentionStmt &stmt, Place &place);
  bool checkFrom(const syntax::AttentionStmt::Part &part);

  // Hooks.cpp
  bool emitHook(const syntax::HookStmt &stmt, Place &place);
  /// Which collective the hook of a sync does, and whether the clauses fit it.
  bool readCollective(const syntax::SyncStmt &stmt, mlir::DictionaryAttr hook,
                      std::string &kind);
  /// Null after a reported error.
  mlir::DictionaryAttr hookNamed(const syntax::Name &name);
  mlir::DictionaryAttr describeHook(const DeclaredHook &hook);
  mlir::DictionaryAttr describeTensor(const syntax::HookDecl &hook,
                                      const std::string &name,
                                      const syntax::TensorType &type);
  bool readFile(const DeclaredHook &hook, const std::string &key,
                std::vector<mlir::NamedAttribute> &fields);
  bool readFiles(const DeclaredHook &hook,
                 std::vector<mlir::NamedAttribute> &fields);
  bool readNames(const syntax::Setting &setting,
                 std::vector<syntax::Name> &names);
  mlir::ArrayAttr splitOf(const syntax::HookDecl &hook,
                          const std::vector<mlir::Attribute> &inputs);
  bool checkResultDims(const syntax::HookDecl &hook,
                       const std::vector<mlir::Attribute> &inputs);
  mlir::DictionaryAttr
  derivativeOf(const syntax::HookDecl &hook,
               const std::vector<mlir::Attribute> &inputs,
               const std::vector<mlir::Attribute> &results);

  bool emitScope(const syntax::ScopePattern &scope, Place &place,
                 std::string &prefix);

  std::optional<std::string> absolute(const syntax::PathPattern &pattern,
                                      const Place &place);
  std::optional<std::string> patternText(const syntax::PathPattern &pattern,
                                         const Scope &scope);
  std::optional<mlir::ArrayAttr> axes(const syntax::AxisList &list,
                                      const Place &place);
  void reportMissingAxes();
  void reportUnknownAxes();
  mlir::Location location(syntax::SourceRange range, const Place &place);
  bool namesOtherFunction(const syntax::PathPattern &pattern,
                          const Place &place) const;

  template <typename Op>
  void write(mlir::Location loc, std::vector<mlir::NamedAttribute> attributes) {
    mlir::OperationState state(loc, Op::getOperationName());
    state.addAttributes(attributes);
    builder.create(state);
  }
  mlir::NamedAttribute text(llvm::StringRef name, const std::string &value) {
    return builder.getNamedAttr(name, builder.getStringAttr(value));
  }
  void flag(std::vector<mlir::NamedAttribute> &attributes, llvm::StringRef name,
            bool set) {
    if (set)
      attributes.push_back(builder.getNamedAttr(name, builder.getUnitAttr()));
  }

  Elaborator &elaborator;
  mlir::MLIRContext *context;
  mlir::OpBuilder builder;
  std::vector<const syntax::DefStmt *> defs;
  std::vector<DeclaredHook> hooks;
  std::vector<const syntax::HookDecl *> describing;
  std::set<std::string> otherFunctions;
  nn::MeshAttr mesh;
  /// Axes that directives name while there is no mesh.
  unsigned expanded = 0; // lines so far, each as often as it is used
  std::vector<std::string> missingAxes;
  syntax::SourceRange firstMissing;
  /// Where directives name an axis that the mesh lacks, by its name.
  std::map<std::string, std::vector<syntax::SourceRange>> unknownAxes;
};

} // namespace hocket::frontend

#endif // HOCKET_FRONTEND_ELABORATE_SCHEDULEEMITTER_H
