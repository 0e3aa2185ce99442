//===- Atoms.cpp - which dims of a kernel are the same loop ---------------===//

#include "Atoms.h"
#include <algorithm>

using namespace llvm;

namespace hocket::codegen {

AtomList Atoms::make(int64_t size) {
  if (size == 1)
    return {};
  atoms.push_back({size});
  return {int(atoms.size()) - 1};
}

int Atoms::popLeaf(SmallVectorImpl<int> &list) const {
  while (!list.empty()) {
    const int number = list.pop_back_val();
    const Atom &atom = atoms[number];
    if (atom.same >= 0) {
      list.push_back(atom.same);
    } else if (atom.major >= 0) {
      list.push_back(atom.major);
      list.push_back(atom.minor);
    } else {
      return number;
    }
  }
  return -1;
}

AtomList Atoms::leaves(ArrayRef<int> list) const {
  SmallVector<int> work(list);
  AtomList result;
  for (int leaf; (leaf = popLeaf(work)) >= 0;)
    result.push_back(leaf);
  std::reverse(result.begin(), result.end());
  return result;
}

void Atoms::cut(int leaf, int64_t minorSize) {
  int major = atoms.size(), minor = major + 1;
  atoms.push_back({atoms[leaf].size / minorSize});
  atoms.push_back({minorSize});
  atoms[leaf].major = major;
  atoms[leaf].minor = minor;
}

bool Atoms::unify(ArrayRef<int> left, ArrayRef<int> right) {
  SmallVector<int> a(left), b(right);
  while (true) {
    int x = popLeaf(a), y = popLeaf(b);
    if (x < 0 || y < 0)
      return x == y;
    if (x == y)
      continue;
    int64_t sizeX = atoms[x].size, sizeY = atoms[y].size;
    if (sizeX == sizeY) {
      atoms[y].same = x;
      continue;
    }
    // The larger one is cut so that its minor part matches; 0 is larger than
    // anything, since it is a multiple of anything.
    bool cutX = sizeX == 0 || (sizeY != 0 && sizeX > sizeY);
    int64_t large = cutX ? sizeX : sizeY, small = cutX ? sizeY : sizeX;
    if (large % small != 0)
      return false;
    cut(cutX ? x : y, small);
    a.push_back(x);
    b.push_back(y);
  }
}

} // namespace hocket::codegen
