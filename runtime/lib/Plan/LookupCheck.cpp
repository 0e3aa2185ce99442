//===- LookupCheck.cpp - attention, embedding and their gradients ---------===//

#include "Checker.h"

namespace hocket::plan {

bool Checker::checkAttention(const Attention &attention) {
  if (!checkRead("q", attention.q) || !checkRead("k", attention.k) ||
      !checkRead("v", attention.v))
    return false;
  const auto &q = attention.q.shape, &k = attention.k.shape,
             &v = attention.v.shape;
  if (q.size() != 4 || k.size() != 4 || v.size() != 4)
    return fail("q, k and v have " + std::to_string(q.size()) + ", " +
                std::to_string(k.size()) + " and " + std::to_string(v.size()) +
                " dims, expected 4");
  if (!checkShape("k", attention.k, {q[0], k[1], k[2], q[3]}) ||
      !checkShape("v", attention.v, {q[0], k[1], k[2], v[3]}) ||
      !checkShape("out", attention.out, {q[0], q[1], q[2], v[3]}) ||
      !checkLse(attention))
    return false;
  DType type = typeOf(attention.q);
  if (!checkType("k", attention.k, type) || !checkType("v", attention.v, type))
    return false;
  if (attention.keep.buffer >= 0 &&
      (!checkRead("keep", attention.keep) ||
       !checkShape("keep", attention.keep, {q[0], k[2]}) ||
       !checkType("keep", attention.keep, DType::Bool)))
    return false;
  if (!checkDocuments(attention) || !checkBias(attention))
    return false;
  if (attention.group < 1 || attention.group > largestNumber)
    return fail("group is " + std::to_string(attention.group) +
                ", expected 1 or more");
  for (int64_t reach : {attention.before, attention.after})
    if (reach < -1 || reach > largestNumber)
      return fail("its window reaches " + std::to_string(reach) +
                  " keys, expected 0 or more, or -1 for all");
  return checkScalar("head_offset", attention.headOffset) &&
         checkScalar("kv_head_offset", attention.kvHeadOffset) &&
         checkScalar("query_offset", attention.queryOffset) &&
         checkScalar("key_offset", attention.keyOffset) &&
         checkHeads(attention) && checkLayout(attention) &&
         checkDropout(attention);
}

bool Checker::checkDocuments(const Attention &attention) {
  const View &queries = attention.queryDocuments,
             &keys = attention.keyDocuments;
  if (queries.buffer < 0 && keys.buffer < 0)
    return true;
  if (queries.buffer < 0 || keys.buffer < 0)
    return fail("has documents of queries or of keys alone, expected both or "
                "none");
  if (!checkRead("query_documents", queries) ||
      !checkRead("key_documents", keys) ||
      !checkShape("query_documents", queries,
                  {attention.q.shape[0], attention.q.shape[2]}) ||
      !checkShape("key_documents", keys,
                  {attention.q.shape[0], attention.k.shape[2]}))
    return false;
  DType type = typeOf(keys);
  if (type != DType::I32 && type != DType::I64)
    return fail("its documents are " + std::string(toString(type)) +
                ", expected i32 or i64");
  return checkType("query_documents", queries, type);
}

/// The bias has what is of the rank's keys.
bool Checker::checkBias(const Attention &attention) {
  const View &bias = attention.bias;
  if (bias.buffer < 0)
    return true;
  // Of 16-bit queries a bias may be F32.
  DType own = typeOf(attention.q);
  bool isWide = byteSize(own) == 2 && typeOf(bias) == DType::F32;
  if (!checkRead("bias", bias) || (!isWide && !checkType("bias", bias, own)))
    return false;
  std::vector<int64_t> expected = attention.q.shape;
  for (size_t dim = 0; dim < 3 && bias.shape.size() == 4; ++dim)
    if (bias.shape[dim] == 1)
      expected[dim] = 1;
  expected[3] = bias.shape.empty() ? 0 : bias.shape.back();
  if (!checkShape("bias", bias, expected))
    return false;
  // A rank without keys may have its part of them anywhere.
  if (attention.k.shape[2] == 0)
    return true;
  for (int64_t rank : current->ranks) {
    __int128 first = valueOn(rank, attention.keyOffset);
    if (first < 0 || first + attention.k.shape[2] > expected[3])
      return fail("the bias of rank " + std::to_string(rank) + " has " +
                  std::to_string(expected[3]) +
                  " keys, not those that the rank holds");
  }
  return true;
}

bool Checker::checkBiasGradient(const AttentionGrad &gradient) {
  if (gradient.dbias.buffer < 0)
    return true;
  const View &bias = gradient.forward.bias;
  if (bias.buffer < 0)
    return fail("gives the gradient of a bias that it does not have");
  return checkWrite("dbias", gradient.dbias) &&
         checkShape("dbias", gradient.dbias, bias.shape) &&
         checkType("dbias", gradient.dbias, typeOf(bias));
}

template <class T> bool Checker::checkHeads(const T &attention) {
  int64_t heads = attention.q.shape[1], kvHeads = attention.k.shape[1];
  for (int64_t rank : current->ranks) {
    __int128 head = valueOn(rank, attention.headOffset);
    __int128 kv = valueOn(rank, attention.kvHeadOffset);
    if (heads > 0 && (head < 0 || head / attention.group < kv ||
                      (head + heads - 1) / attention.group - kv >= kvHeads))
      return fail("the query heads of rank " + std::to_string(rank) +
                  " need key heads that it does not hold");
  }
  return true;
}

template bool Checker::checkHeads(const NeighborhoodAttention &);

/// The layout of the whole covers the rank's heads, queries and keys.
bool Checker::checkLayout(const Attention &attention) {
  if (!attention.layout)
    return attention.layoutBlocks == 0 ||
           fail("has blocks of a layout, but no layout");
  const BlockLayout &layout = *attention.layout;
  std::string problem = layoutProblem(layout);
  if (!problem.empty())
    return fail("its layout is wrong: " + problem);
  if (attention.layoutBlocks < 0 || attention.layoutBlocks > largestNumber)
    return fail("its layout has " + std::to_string(attention.layoutBlocks) +
                " blocks, expected at least 0");
  __int128 tokens = __int128(attention.layoutBlocks) * layout.block;
  int64_t heads = 0;
  for (int64_t rank : current->ranks) {
    __int128 queries = valueOn(rank, attention.queryOffset);
    __int128 keys = valueOn(rank, attention.keyOffset);
    if (queries < 0 || queries + attention.q.shape[2] > tokens || keys < 0 ||
        keys + attention.k.shape[2] > tokens)
      return fail("rank " + std::to_string(rank) +
                  " holds positions outside of its layout");
    heads = std::max<__int128>(heads, valueOn(rank, attention.headOffset) +
                                          attention.q.shape[1]);
  }
  if (layout.kind == LayoutKind::Listed && attention.layoutBlocks > 0)
    heads =
        std::max<int64_t>(heads, layout.rows.size() / attention.layoutBlocks);
  problem = layoutProblem(layout, tokens, heads);
  return problem.empty() || fail("its layout is wrong: " + problem);
}

bool Checker::checkDropout(const Attention &attention) {
  const Dropout &dropout = attention.dropout;
  if (dropout.p == 0)
    return true;
  if (!(dropout.p > 0 && dropout.p < 1))
    return fail("drops with probability " + std::to_string(dropout.p) +
                ", expected at least 0 and less than 1");
  if (!checkRead("step", dropout.step) ||
      !checkShape("step", dropout.step, {}) ||
      !checkType("step", dropout.step, DType::I32) ||
      !checkScalar("first", dropout.first))
    return false;
  const auto &q = attention.q.shape;
  int64_t rows = 1;
  for (int64_t size : dropout.sizes) {
    if (size < 1 || size > largestNumber / rows)
      return fail("a size of its dropped rows is out of range");
    rows *= size;
  }
  if (dropout.strides.size() != dropout.sizes.size() ||
      (rows != q[0] * q[1] * q[2] && q[0] * q[1] * q[2] != 0))
    return fail("drops weights of " + std::to_string(rows) +
                " rows, expected " + std::to_string(q[0] * q[1] * q[2]));
  return true;
}

bool Checker::checkEngine(const Attention &attention, bool isGradient) {
  bool isOwn = attention.engine == AttentionEngine::Own;
  if (!isOwn && plan.target != Target::Cuda)
    return fail("is computed by cudnn, which only a GPU has");
  return !attention.isNondeterministic || (isGradient && !isOwn) ||
         fail("is nondeterministic, which only a gradient by cudnn may be");
}

bool Checker::checkBody(const Attention &attention) {
  if (attention.isTerm && attention.lse.buffer < 0)
    return fail("is a term of some keys, and gives no lse to merge it by");
  return checkResults(attention) && checkAttention(attention) &&
         checkEngine(attention, /*isGradient=*/false);
}

bool Checker::checkBody(const AttentionGrad &gradient) {
  return checkKept(gradient) && checkAttention(gradient.forward) &&
         checkEngine(gradient.forward, /*isGradient=*/true) &&
         checkGradients(gradient) && checkBiasGradient(gradient);
}

bool Checker::checkIds(const View &ids) {
  DType type = typeOf(ids);
  return type == DType::I32 || type == DType::I64 ||
         fail(std::string("ids are ") + toString(type) +
              ", expected i32 or i64");
}

bool Checker::checkBody(const Embedding &embedding) {
  if (!checkRead("table", embedding.table) ||
      !checkRead("ids", embedding.ids) || !checkWrite("out", embedding.out) ||
      !checkScalar("vocab_offset", embedding.vocabOffset))
    return false;
  if (embedding.table.shape.size() < 2)
    return fail("table has " + std::to_string(embedding.table.shape.size()) +
                " dims, expected 2 or more");
  if (!checkIds(embedding.ids))
    return false;
  std::vector<int64_t> expected = embedding.ids.shape;
  const std::vector<int64_t> &table = embedding.table.shape;
  expected.insert(expected.end(), table.begin() + 1, table.end());
  return checkShape("out", embedding.out, expected) &&
         checkType("out", embedding.out, typeOf(embedding.table));
}

bool Checker::checkBody(const EmbeddingGrad &gradient) {
  if (!checkRead("ids", gradient.ids) || !checkRead("dy", gradient.dy) ||
      !checkWrite("out", gradient.out) ||
      !checkScalar("vocab_offset", gradient.vocabOffset) ||
      !checkIds(gradient.ids))
    return false;
  const std::vector<int64_t> &out = gradient.out.shape;
  if (out.size() < 2)
    return fail("out has " + std::to_string(out.size()) +
                " dims, expected 2 or more");
  std::vector<int64_t> expected = gradient.ids.shape;
  expected.insert(expected.end(), out.begin() + 1, out.end());
  return checkShape("dy", gradient.dy, expected) &&
         checkType("dy", gradient.dy, typeOf(gradient.out));
}

} // namespace hocket::plan
