//===- Origins.cpp - why a value is placed as it is -----------------------===//

#include "Origins.h"

using namespace mlir;
using namespace hocket::placement;

void Origins::set(Value value, unsigned axis, Origin origin) {
  auto &list = origins[value];
  if (list.size() <= axis)
    list.resize(axis + 1);
  list[axis] = std::move(origin);
}

const Origin &Origins::of(Value value, unsigned axis) const {
  static const Origin none;
  auto it = origins.find(value);
  return it == origins.end() || it->second.size() <= axis ? none
                                                          : it->second[axis];
}

SmallVector<Value> Origins::chainOf(Value value, unsigned axis) const {
  SmallVector<Value> chain{value};
  while (of(chain.back(), axis).kind == Origin::Kind::Through)
    chain.push_back(of(chain.back(), axis).from);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

const Origin &Origins::rootOf(Value value, unsigned axis) const {
  return of(chainOf(value, axis).front(), axis);
}

Operation *Origins::directiveOf(Value value, unsigned axis) const {
  const Origin *root = &rootOf(value, axis);
  while (root->kind == Origin::Kind::Contracted)
    root = &rootOf(root->from, axis);
  return root->directive;
}
