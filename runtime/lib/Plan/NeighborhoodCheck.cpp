//===- NeighborhoodCheck.cpp - operands of neighborhood attention ---------===//

#include "Checker.h"

namespace hocket::plan {

bool Checker::checkNeighborhood(const NeighborhoodAttention &attention) {
  if (!checkRead("q", attention.q) || !checkRead("k", attention.k) ||
      !checkRead("v", attention.v))
    return false;
  const auto &q = attention.q.shape, &k = attention.k.shape,
             &v = attention.v.shape;
  size_t rank = attention.dims.size() + 3;
  if (rank < 4 || rank > 6 || q.size() != rank || k.size() != rank ||
      v.size() != rank)
    return fail("q, k and v have " + std::to_string(q.size()) + ", " +
                std::to_string(k.size()) + " and " + std::to_string(v.size()) +
                " dims, expected 3 and its windows of " +
                std::to_string(attention.dims.size()) + ", of 1 to 3");
  std::vector<int64_t> keys = k, values, out = q;
  keys[0] = q[0];
  keys.back() = q.back();
  values = keys;
  values.back() = out.back() = v.back();
  if (!checkShape("k", attention.k, keys) ||
      !checkShape("v", attention.v, values) ||
      !checkShape("out", attention.out, out) || !checkLse(attention))
    return false;
  DType type = typeOf(attention.q);
  if (!checkType("k", attention.k, type) || !checkType("v", attention.v, type))
    return false;
  if (attention.group < 1 || attention.group > largestNumber)
    return fail("group is " + std::to_string(attention.group) +
                ", expected 1 or more");
  if (!checkScalar("head_offset", attention.headOffset) ||
      !checkScalar("kv_head_offset", attention.kvHeadOffset) ||
      !checkHeads(attention))
    return false;
  for (const NeighborhoodDim &dim : attention.dims) {
    if (!dim.window.isValid() || dim.window.extent > largestNumber)
      return fail("a window of " + std::to_string(dim.window.kernel) +
                  " keys, " + std::to_string(dim.window.dilation) +
                  " apart, shared by " + std::to_string(dim.window.stride) +
                  " queries, has no place in " +
                  std::to_string(dim.window.extent));
    if (!checkScalar("query_offset", dim.queryOffset) ||
        !checkScalar("key_offset", dim.keyOffset))
      return false;
  }
  return elementCount(out) == 0 || checkKeysHeld(attention);
}

/// What the windows of a rank's queries show must be on the rank.
bool Checker::checkKeysHeld(const NeighborhoodAttention &attention) {
  for (int64_t rank : current->ranks)
    for (size_t i = 0; i < attention.dims.size(); ++i) {
      const NeighborhoodDim &dim = attention.dims[i];
      __int128 query = valueOn(rank, dim.queryOffset);
      __int128 key = valueOn(rank, dim.keyOffset);
      int64_t queries = attention.q.shape[i + 2];
      int64_t held = attention.k.shape[i + 2];
      bool isInside = query >= 0 && query + queries <= dim.window.extent;
      if (isInside) {
        auto [begin, end] = dim.window.reads(int64_t(query), queries);
        isInside = begin >= key && end <= key + held;
      }
      if (!isInside)
        return fail("the windows of rank " + std::to_string(rank) + " in dim " +
                    std::to_string(i + 2) + " show keys that it does not hold");
    }
  return true;
}

bool Checker::checkBody(const NeighborhoodAttention &attention) {
  return checkWrite("out", attention.out) && checkNeighborhood(attention);
}

bool Checker::checkBody(const NeighborhoodAttentionGrad &gradient) {
  return checkKept(gradient) && checkNeighborhood(gradient.forward) &&
         checkGradients(gradient);
}

} // namespace hocket::plan
