//===- Address.h - a plan's views as a rank's memory -----------*- C++ -*-===//

#ifndef HOCKET_LIB_DEVICE_ADDRESS_H
#define HOCKET_LIB_DEVICE_ADDRESS_H

#include "hocket/Runtime/Call.h"
#include "hocket/Runtime/Communicator.h"

namespace hocket::runtime {

/// Turns what a plan says for a class into what holds for one rank of it.
class AddressBook {
public:
  AddressBook(const plan::Plan &plan, const plan::RankClass &rankClass,
              int64_t rank)
      : plan(plan), rankClass(rankClass), rank(rank) {}

  /// Where a buffer begins; to be told for every buffer before any `operand`.
  void setBase(int buffer, char *base);

  int64_t value(const plan::Scalar &scalar) const;
  /// As plan::alignmentOf.
  int64_t alignment(const plan::View &view, int64_t most) const;
  Operand operand(const plan::View &view) const;
  CollectiveSpec collective(const plan::Collective &collective,
                            int source) const;
  /// Where an instruction comes from; an empty one for -1.
  const plan::Source &source(int index) const;
  /// What an error calls the ids of an instruction that comes from `source`.
  std::string idsName(const plan::View &ids, int source) const;

  const plan::Plan &plan;
  const plan::RankClass &rankClass;
  const int64_t rank;

private:
  std::vector<char *> bases;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_DEVICE_ADDRESS_H
