//===- Living.h - what a program has made of a look-alike ------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_LIVING_H
#define HOCKET_TEST_GPU_LIBRARIES_LIVING_H

#include <set>

namespace hocket::lookalike {

/// The things of one kind that are made and not yet destroyed.
template <typename T> class Living {
public:
  T *make() {
    T *made = new T;
    all.insert(made);
    return made;
  }
  bool has(const T *thing) const { return all.count(const_cast<T *>(thing)); }
  bool destroy(T *thing) {
    if (!all.erase(thing))
      return false;
    delete thing;
    return true;
  }
  size_t count() const { return all.size(); }

private:
  std::set<T *> all;
};

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_LIVING_H
