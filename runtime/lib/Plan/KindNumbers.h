//===- KindNumbers.h - a kind of collective as a list of numbers -*- C++ -*-==//

#ifndef HOCKET_LIB_PLAN_KINDNUMBERS_H
#define HOCKET_LIB_PLAN_KINDNUMBERS_H

#include "CollectiveFields.h"

namespace hocket::plan {

/// Visits the fields of a kind of collective: all of them, whatever they are.
class NumberList {
public:
  template <class T> void required(const char *, T &value) { add(value); }
  template <class T> void optional(const char *, T &value, const T &) {
    add(value);
  }
  std::vector<int64_t> numbers;

private:
  void add(Share &share) { fields(*this, share); }
  template <class T> void add(std::vector<T> &list) {
    numbers.push_back(int64_t(list.size()));
    for (T &value : list)
      add(value);
  }
  template <class T> void add(T &value) { numbers.push_back(int64_t(value)); }
};

/// All that one kind says: equal numbers, equal kinds.
template <class Kind> std::vector<int64_t> numbersOf(Kind kind) {
  NumberList list;
  fields(list, kind);
  return std::move(list.numbers);
}
inline std::vector<int64_t> numbersOf(const decltype(Collective::kind) &kind) {
  auto numbers = std::visit([](auto &one) { return numbersOf(one); }, kind);
  numbers.push_back(int64_t(kind.index()));
  return numbers;
}

} // namespace hocket::plan

#endif // HOCKET_LIB_PLAN_KINDNUMBERS_H
