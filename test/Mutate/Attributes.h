//===- Attributes.h - dumps that forget or change an attribute --*- C++ -*-===//
//
// An attribute of a dump is a name, or its loss and each change of an integer
// in it must be noticed: refused, or a legal program that computes something
// else, which a table names with its reason.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_MUTATE_ATTRIBUTES_H
#define HOCKET_TEST_MUTATE_ATTRIBUTES_H

#include <cstdint>
#include <string>
#include <vector>

namespace mlir {
class Operation;
} // namespace mlir

namespace hocket::mutate {

/// Where an attribute stands: of an operation, by its number in the order of a
/// walk, and, for a dictionary or a list of them, of which entry.
struct AttributePlace {
  std::string stage, op, name; ///< name: "box", or "arg_attrs.nn.name"
  bool isInherent = false;     ///< of the operation's own definition
  size_t dump = 0;
  int64_t number = 0;   ///< of the operation
  int64_t integers = 0; ///< that the attribute holds, at most kMostIntegers

  std::string key() const { return stage + " " + op + " " + name; }
};

constexpr int64_t kMostIntegers = 24;

/// All attributes of a dump of a stage, each (operation, attribute) once: where
/// it holds the most integers. Nothing of a dump that is refused.
std::vector<AttributePlace> attributesOf(const std::string &stage,
                                         const std::string &dump);

/// The dump with the attribute deleted (`integer` -1), or its integer of that
/// number one larger, in the generic form. Empty where no attribute is made of
/// the changed text, which is an error that has been printed.
std::string changed(const AttributePlace &place, const std::string &dump,
                    int64_t integer);

/// The plan of a dump as text; empty after printed errors.
std::string planOf(const std::string &stage, const std::string &dump);

/// Why the change gives a legal program of another computation; empty if that
/// is not known.
std::string reasonOf(const AttributePlace &place, bool isDeleted);

} // namespace hocket::mutate

#endif // HOCKET_TEST_MUTATE_ATTRIBUTES_H
