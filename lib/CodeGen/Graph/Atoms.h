//===- Atoms.h - which dims of a kernel are the same loop ------*- C++ -*-===//
//
// Every dim of every value starts as one atom. Operations state that dims are
// equal; a dim of one factor meets a dim of two by being cut. What is left in
// the end, the leaves, are the loop axes:
//
//   unify [384] with [12, 32]     384 is cut in 12 and 32
//   unify [12, 32] with [12, 32]  the same two axes
//   unify [4, 6] with [3, 8]      refused, the cuts cross
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CODEGEN_GRAPH_ATOMS_H
#define HOCKET_LIB_CODEGEN_GRAPH_ATOMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace hocket::codegen {

using AtomList = llvm::SmallVector<int, 2>;

class Atoms {
public:
  /// A new atom, or nothing for size 1.
  AtomList make(int64_t size);

  int64_t size(int atom) const { return atoms[atom].size; }

  /// What an atom list consists of by now, major first.
  AtomList leaves(llvm::ArrayRef<int> list) const;

  /// Makes two lists of equal total size the same loops; false if their cuts
  /// cross.
  bool unify(llvm::ArrayRef<int> a, llvm::ArrayRef<int> b);

private:
  struct Atom {
    int64_t size;
    int same = -1;              // another atom that this one equals
    int major = -1, minor = -1; // or its parts
  };
  /// Takes the most minor leaf off a list; -1 if there is none.
  int popLeaf(llvm::SmallVectorImpl<int> &list) const;
  void cut(int leaf, int64_t minorSize);

  std::vector<Atom> atoms;
};

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GRAPH_ATOMS_H
