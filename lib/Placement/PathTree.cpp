//===- PathTree.cpp - the tree of what a schedule can name ----------------===//

#include "hocket/Placement/PathTree.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

PathNode *PathNode::child(StringRef wanted) const {
  // Members of an array stand in order: many layers are not searched.
  size_t index;
  if (!wanted.getAsInteger(10, index) && index < children.size() &&
      children[index]->name == wanted)
    return children[index].get();
  for (const auto &candidate : children)
    if (candidate->name == wanted)
      return candidate.get();
  return nullptr;
}

bool PathNode::hasRole(nn::ValueRole role) const {
  return llvm::any_of(
      values, [&](nn::ValueOp value) { return value.getRole() == role; });
}

PathTree::PathTree(nn::FuncOp func) : PathTree() {
  for (BlockArgument argument : func.getArguments())
    if (auto name = nn::argumentName(func, argument.getArgNumber()))
      insert(name.getValue()).input = argument;
  if (nn::ModelOp model = nn::modelOf(func))
    for (StringRef name :
         model.getOtherArguments().getAsValueRange<StringAttr>()) {
      PathNode &node = insert(name);
      node.isElsewhere = !node.input;
    }
  func.walk([&](Operation *op) {
    if (auto parameter = dyn_cast<nn::ParameterOp>(op))
      insert(parameter.getPath()).parameter = parameter;
    if (auto value = dyn_cast<nn::ValueOp>(op))
      insert(value.getPath()).values.push_back(value);
  });
}

PathNode &PathTree::insert(StringRef path) {
  PathNode *node = root.get();
  if (path.empty())
    return *node;
  SmallVector<StringRef> names;
  path.split(names, '.');
  for (StringRef name : names) {
    PathNode *next = node->child(name);
    if (!next) {
      next = node->children.emplace_back(std::make_unique<PathNode>()).get();
      next->name = name.str();
      next->path =
          node->path.empty() ? name.str() : node->path + "." + next->name;
      next->parent = node;
      next->depth = node->depth + 1;
    }
    node = next;
  }
  return *node;
}

const PathNode *PathTree::find(StringRef path) const {
  const PathNode *node = root.get();
  if (path.empty())
    return node;
  SmallVector<StringRef> names;
  path.split(names, '.');
  for (StringRef name : names)
    if (!node || !(node = node->child(name)))
      return nullptr;
  return node;
}
