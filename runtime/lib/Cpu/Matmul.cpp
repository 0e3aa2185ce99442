//===- Matmul.cpp - which library or loop computes a product --------------===//

#include "runtime/lib/Cpu/DnnlMatmul.h"

namespace hocket::runtime {

/// Products of F32, and of BF16 with a result of either; oneDNN adds up in F32.
static bool runsInDnnl(const MatmulProblem &problem) {
  plan::DType type = problem.a.type;
  bool fits = hasDnnlType(type) && problem.b.type == type &&
              (problem.c.type == type || problem.c.type == plan::DType::F32) &&
              (!problem.bias || problem.bias->type == type);
  for (const PostOperation &post : problem.post)
    fits &= post.operand.shape.empty() || hasDnnlType(post.operand.type);
  return fits && problem.k > 0;
}

namespace {
class NothingToDo : public Call {
public:
  Status run() override { return Status::success(); }
};
} // namespace

/// Null if oneDNN has no fast kernel for it.
static std::unique_ptr<Call> makeDnnlMatmul(const MatmulProblem &problem,
                                            const PackedWeight *pack) {
  if (!runsInDnnl(problem))
    return nullptr;
  auto product = std::make_unique<DnnlMatmul>(problem, pack);
  product->makeDense();
  for (size_t loops = 0; loops <= problem.batch.size(); ++loops)
    if (product->prepare(loops))
      return product;
  return nullptr;
}

Status makeMatmul(const MatmulArguments &arguments, int threads,
                  std::unique_ptr<Call> &call) {
  if (arguments.c.elements() == 0) {
    call = std::make_unique<NothingToDo>();
    return Status::success();
  }
  MatmulArguments plain = arguments;
  if (arguments.pack) {
    call = makeDnnlMatmul(MatmulProblem(arguments), arguments.pack);
    if (call)
      return Status::success();
    plain.pack = nullptr;
    plain.b.data = arguments.pack->keepPlain();
  }
  MatmulProblem problem(plain);
  call = makeDnnlMatmul(problem, nullptr);
  if (call)
    return Status::success();
  if (!runsInDnnl(problem) || problem.a.type == plan::DType::BF16)
    return makeBlockedMatmul(problem, threads, call);
  return Status::runtimeError("oneDNN has only its reference loop for " +
                              problem.describe() + " on this processor");
}

} // namespace hocket::runtime
