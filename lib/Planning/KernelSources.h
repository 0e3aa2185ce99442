//===- KernelSources.h - what kernels of a plan are made from --*- C++ -*-===//

#ifndef HOCKET_LIB_PLANNING_KERNELSOURCES_H
#define HOCKET_LIB_PLANNING_KERNELSOURCES_H

#include "dialects/Spmd/Spmd.h"
#include "hocket/CodeGen/KernelCompiler.h"
#include "hocket/Plan/Plan.h"
#include <set>

namespace hocket::planning {

/// Adds what the code of kernels and hooks is made from to a plan, each once.
class KernelSources {
public:
  explicit KernelSources(plan::Plan &plan) : plan(plan) {}

  void add(spmd::KernelOp op, const codegen::KernelRequest &request,
           const codegen::KernelInfo &info);
  void addHook(const std::string &name, const std::string &file);

private:
  plan::Plan &plan;
  std::set<std::vector<std::string>> known; // symbols, with those of tables
};

} // namespace hocket::planning

#endif // HOCKET_LIB_PLANNING_KERNELSOURCES_H
