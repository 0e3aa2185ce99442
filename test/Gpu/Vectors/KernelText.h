//===- KernelText.h - writes the kernel of a vector ------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_VECTORS_KERNELTEXT_H
#define HOCKET_TEST_GPU_VECTORS_KERNELTEXT_H

#include "test/Gpu/Vectors/Vector.h"

namespace hocket::vectors {

/// A kernel of which each thread has elements of arrays. Its registers:
/// %in, %out (addresses), %i (the thread's number among all), %me, and %w0 to
/// %w15 (b32), %a0 to %a7 (b64), %p0 to %p7 for whoever adds lines.
class KernelText {
public:
  KernelText(const Form &form, uint32_t blocks, uint32_t threads);

  /// An array of the input, an element a thread: its values come as bytes.
  /// Returns the register that holds the thread's, "%s0".
  std::string source(Type type, const std::vector<std::byte> &values);
  /// A register that is stored to an array of the output.
  std::string destination(Type type);
  /// An array of the input that no register holds; returns its offset.
  uint64_t array(Type type, const std::vector<std::byte> &values);
  /// Offset of an array of the output of `each` elements a thread.
  uint64_t result(Type type, unsigned each);

  void line(const std::string &text) { body += "  " + text + "\n"; }
  /// A variable of the block or the thread: ".shared .align 16 .b8 s[64]"
  void variable(const std::string &text) { variables += "  " + text + ";\n"; }
  /// A third parameter of the entry, `block`.
  void parameters(std::vector<std::byte> bytes) {
    vector.parameters = std::move(bytes);
  }

  Vector finish(Rule rule = {});

private:
  Vector vector;
  std::string variables, loads, body, stores;
  unsigned sources = 0, destinations = 0;
};

/// "b32" of a type's register.
std::string bitsOf(Type type);
/// "%s0, %s1", with what each begins with.
std::string listOf(const std::string &begin, unsigned count);

} // namespace hocket::vectors

#endif // HOCKET_TEST_GPU_VECTORS_KERNELTEXT_H
