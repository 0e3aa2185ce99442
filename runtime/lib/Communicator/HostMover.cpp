//===- HostMover.cpp - copies and sums in memory of the host --------------===//

#include "hocket/Cpu/Reduce.h"
#include "hocket/Cpu/StridedCopy.h"
#include "hocket/Runtime/Mover.h"

namespace hocket::runtime {

namespace {

class HostCopy : public Mover::Move {
public:
  HostCopy(const Operand &from, const Operand &to)
      : copy(to.shape, from.strides, to.strides, plan::byteSize(to.type)),
        from(from.data), to(to.data) {}
  Status run() override {
    copy.run(to, from);
    return Status::success();
  }

private:
  StridedCopy copy;
  const void *from;
  void *to;
};

class HostReduce : public Mover::Move {
public:
  HostReduce(Reduce reduce, int64_t begin, int64_t end)
      : reduce(std::move(reduce)), begin(begin), end(end) {}
  Status run() override {
    reduce.run(begin, end);
    return Status::success();
  }

private:
  Reduce reduce;
  int64_t begin, end;
};

class HostMover : public Mover {
public:
  Status makeCopy(const Operand &from, const Operand &to,
                  std::unique_ptr<Move> &move) override {
    move = std::make_unique<HostCopy>(from, to);
    return Status::success();
  }
  Status makeZeros(const Operand &to, std::unique_ptr<Move> &move) override {
    static int64_t zero = 0; // of any type
    Operand zeros = to;
    zeros.data = &zero;
    zeros.strides.assign(to.shape.size(), 0);
    return makeCopy(zeros, to, move);
  }
  Status makeReduce(plan::Reduction reduction, const Operand &out,
                    const std::vector<Operand> &terms,
                    const std::vector<int> &order, int64_t begin, int64_t end,
                    std::unique_ptr<Move> &move) override {
    move = std::make_unique<HostReduce>(Reduce(reduction, out, terms, order),
                                        begin, end);
    return Status::success();
  }
  Status makeMark(std::unique_ptr<Mark> &) override {
    return Status::success();
  }
  Status set(Mark *) override { return Status::success(); }
  Status follow(const Mark *) override { return Status::success(); }
};

} // namespace

Mover &hostMover() {
  static HostMover mover; // without state
  return mover;
}

} // namespace hocket::runtime
