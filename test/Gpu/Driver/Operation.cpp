//===- Operation.cpp - what streams and graphs run ------------------------===//

#include "test/Gpu/Driver/Operation.h"
#include "test/Gpu/Driver/Driver.h"

using namespace hocket::lookalike;

Span Execution::span(uint64_t address, uint64_t bytes, const char *verb) {
  Span span = driver.allocations.span(address, bytes, verb);
  if (span.block && span.block->device != hostDevice &&
      span.block->device != device) {
    span.wrong = std::string(verb) + " '" + span.block->allocation->name +
                 "' of device " + std::to_string(span.block->device) +
                 ", which device " + std::to_string(device) + " cannot reach";
    span.block = nullptr;
  }
  if (!span.block)
    find(span.wrong);
  return span;
}

void Execution::tell(const Block &block,
                     const std::optional<Conflict> &conflict, bool writes) {
  if (conflict)
    find(std::string(writes ? "writes '" : "reads '") + block.allocation->name +
         "' from byte " + std::to_string(conflict->begin) + " to " +
         std::to_string(conflict->end) + ", which " + *conflict->earlier.name +
         (conflict->earlierWrites ? " writes" : " reads") +
         ", and nothing orders the two");
}

void Execution::reads(Block &block, uint64_t begin, uint64_t end) {
  tell(block, block.history.read(begin, end, actor, clock), false);
}

void Execution::writes(Block &block, uint64_t begin, uint64_t end) {
  tell(block, block.history.write(begin, end, actor, clock), true);
}

void Execution::find(const std::string &what) {
  driver.fail(title() + " " + what);
}

void Execution::findSentence(const std::string &sentence) {
  driver.fail(sentence + " [" + title() + "]");
}
