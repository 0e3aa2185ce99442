//===- Decoder.h - how a statement becomes a step --------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_PTX_DECODER_H
#define HOCKET_TEST_GPU_PTX_DECODER_H

#include "test/Gpu/Ptx/Program.h"
#include <functional>
#include <initializer_list>

namespace hocket::ptx {

class Decoder;
using Decode = void (*)(Decoder &);
using Opcodes = std::map<std::string, Decode>;

/// Each file of instructions adds its own.
void addMoves(Opcodes &opcodes);
void addIntegers(Opcodes &opcodes);
void addBits(Opcodes &opcodes);
void addCarries(Opcodes &opcodes);
void addFields(Opcodes &opcodes);
void addFloats(Opcodes &opcodes);
void addApproximations(Opcodes &opcodes);
void addComparisons(Opcodes &opcodes);
void addConversions(Opcodes &opcodes);
void addControl(Opcodes &opcodes);
void addBarriers(Opcodes &opcodes);
void addExchanges(Opcodes &opcodes);
void addMatrices(Opcodes &opcodes);
void addAsyncCopies(Opcodes &opcodes);
void addAtomics(Opcodes &opcodes);
void addAccesses(Opcodes &opcodes);

/// Decodes the statements of one function. A function of the table above reads
/// the modifiers it knows off the statement and adds the operands; what is left
/// over is refused.
class Decoder {
public:
  /// `caller` is that of the function whose call is being decoded.
  Decoder(const Program &program, const Function &function, Kernel &kernel,
          const Decoder *caller = nullptr);
  void run();

  /// Puts the steps of a function in the place of its call, and afterwards the
  /// statement that follows it.
  void call(const std::string &name, const Operand *results,
            const Operand *arguments);
  /// The end of the function, where a callee goes on with its caller.
  uint32_t end();
  bool isCalled() const { return caller; }

  // Of the statement in hand.
  [[noreturn]] void refuse(const std::string &why) const;
  const Statement &statement() const { return *now; }
  const Operand &operand(size_t i) const;
  size_t operands() const { return now->operands.size(); }
  Step step;

  /// Takes a modifier off, if it is there.
  bool take(const std::string &modifier);
  /// The place in the list of the one that is there; it must be one of them.
  unsigned takeOne(std::initializer_list<const char *> choices);
  /// The first modifier that is a type.
  std::string takeType();
  /// The first modifier that is left; empty if none is.
  std::string next() const { return left.empty() ? "" : left.front(); }
  void drop() { left.erase(left.begin()); }

  /// Adds an operand of so many bytes; 0 for a predicate. Destinations come
  /// before sources.
  void to(const Operand &operand, unsigned bytes);
  void from(const Operand &operand, unsigned bytes);
  /// The predicate that holds the carry.
  void toCarry();
  void fromCarry();
  /// The same for each part of a vector, or for the operand itself.
  void toEach(const Operand &operand, unsigned bytes);
  void fromEach(const Operand &operand, unsigned bytes);
  /// The address [name+offset] as a source, with step.wide and step.offset.
  void fromAddress(const Operand &operand);
  /// Operands 0 (destination) and 1 to `sources`, all of so many bytes.
  void plain(unsigned bytes, unsigned sources);

  /// Bytes of the register; 0 for a predicate, 255 for a number or symbol.
  unsigned bytesOfRegister(const Operand &operand) const;
  /// A .param of a call lies in the thread's local memory.
  bool isOfCall(const std::string &name) const {
    return ofCalls.count(name) != 0;
  }
  bool isSink(const Operand &operand) const { return operand.name == "_"; }
  uint64_t number(const Operand &operand) const;
  /// The step after a label, of the step in hand; it is known later.
  uint32_t label(const std::string &name);
  uint32_t table(const std::string &name);
  Slot sink(unsigned bytes);
  Slot constant(unsigned bytes, uint64_t bits);

private:
  void layVariables();
  void layModule();
  void lay(const Variable &variable, uint64_t &top,
           std::vector<Placed> &placed);
  void bind(const std::vector<Variable> &names, const Operand *values,
            Decoder &callee);
  void add();
  void resolveLabels();
  void declareRegisters();
  void decode(const Statement &statement);
  Slot allocate(unsigned bytes);
  Slot carry();
  Slot slotOf(const Operand &operand, unsigned bytes);
  Slot special(const std::string &name, unsigned bytes);
  Slot laneConstant(unsigned bytes, const std::function<uint64_t(int)> &value);
  bool symbol(const std::string &name, uint64_t &value) const;

  const Program &program;
  const Function &function;
  Kernel &kernel;
  const Decoder *caller;
  const Statement *now = nullptr;
  std::vector<std::string> left;  ///< modifiers of the statement
  std::vector<uint32_t> stepsOf;  ///< the first step of each statement
  std::vector<uint32_t> branches; ///< steps whose target is a statement still
  std::vector<uint32_t> tables;   ///< of the kernel, of statements still
  bool branchesNow = false;
  std::map<std::string, std::pair<Slot, unsigned>> registers;
  std::map<std::string, Slot> specials;
  std::map<std::pair<unsigned, uint64_t>, Slot> numbers;
  std::map<std::string, uint64_t> symbols, ofModule;
  std::map<std::string, uint64_t> ofCalls; ///< places in local memory
  std::map<unsigned, Slot> sinks;
};

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_DECODER_H
