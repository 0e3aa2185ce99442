//===- TensorCheck.h - whether a source has what a plan wants --*- C++ -*-===//

#ifndef HOCKET_IO_TENSORCHECK_H
#define HOCKET_IO_TENSORCHECK_H

#include "hocket/Io/NameMap.h"
#include "hocket/Runtime/Tensors.h"

namespace hocket::runtime {

/// How names of weights become those of the plan's parameters.
NameMap nameMap(const plan::Plan &plan, const std::vector<RenameRule> &rules);

/// Compares the plan's parameters with what `source` has (`available` are all
/// its names). A name that is missing, other dims and a type that cannot be
/// read are faults, one line each for the first few, with the model's line and
/// the nearest name. If there are none, a tensor that the model neither uses
/// nor lists with `ignore` is one: a weight that a model forgets is a wrong
/// result.
Status checkParameters(const plan::Plan &plan, const TensorSource &source,
                       const std::vector<std::string> &available);

/// The same for inputs, except that more tensors than inputs are no fault.
Status checkInputs(const plan::Plan &plan, const TensorSource &source,
                   const std::vector<std::string> &available);

/// Whether `pattern` (components between dots; `*` is any text inside one
/// component, `**` any number of components, `{a,b}` either, `[0..3]` an
/// index) covers `path` or something above it: "pooler.*" covers
/// "pooler.dense.weight".
bool coversPath(const std::string &pattern, const std::string &path);

/// The name of `names` that comes nearest to `name`; empty if none is near.
std::string nearestName(const std::string &name,
                        const std::vector<std::string> &names);

/// "f32 [3, 4]"
std::string spell(plan::DType type, const std::vector<int64_t> &dims);

} // namespace hocket::runtime

#endif // HOCKET_IO_TENSORCHECK_H
