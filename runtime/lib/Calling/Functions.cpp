//===- Functions.cpp - the functions of hocket.h --------------------------===//

#include "runtime/lib/Calling/CalledProgram.h"
#include "runtime/lib/Calling/CallersArrays.h"
#include <cstring>
#include <new>

using namespace hocket::runtime;

struct hocket_program {
  std::unique_ptr<CalledProgram> called;
};

namespace {

std::string &lastError() {
  thread_local std::string text;
  return text;
}

/// Calls `body`, which gives a Status, and lets nothing escape that a caller in
/// C could not catch.
template <typename Body> hocket_status guarded(Body &&body) {
  Status status;
  try {
    status = body();
  } catch (const std::bad_alloc &) {
    status = Status::runtimeError("no memory is left; raise its limit (ulimit "
                                  "-v, or the container's)");
  } catch (const std::exception &what) {
    status = Status::runtimeError(what.what());
  }
  if (!status.ok())
    lastError() = status.message;
  return hocket_status(status.exitStatus());
}

/// The same for what calls a program, which must be there.
template <typename Body>
hocket_status called(hocket_program *program, Body &&body) {
  return guarded([&] {
    return program ? body(*program->called)
                   : Status::userError("the program is a null pointer");
  });
}

std::vector<std::string> stringsOf(const char *const *texts, size_t count) {
  std::vector<std::string> strings;
  for (size_t i = 0; texts && i < count; ++i)
    strings.push_back(texts[i] ? texts[i] : "");
  return strings;
}

const hocket_array *list(const hocket_program *program, size_t *count,
                         std::vector<hocket_array> CalledProgram::*arrays) {
  if (count)
    *count = program ? ((*program->called).*arrays).size() : 0;
  return program ? ((*program->called).*arrays).data() : nullptr;
}

} // namespace

const char *hocket_error(void) { return lastError().c_str(); }

hocket_status hocket_load(const char *path, const hocket_options *options,
                          hocket_program **program) {
  return guarded([&] {
    if (!program)
      return Status::userError("hocket_load: the place of the program is a "
                               "null pointer");
    *program = nullptr;
    hocket_options wanted = {};
    if (options && options->size != sizeof wanted)
      return Status::userError("hocket_options has the size " +
                               std::to_string(options->size) + ", expected " +
                               std::to_string(sizeof wanted) +
                               ": set it to sizeof(hocket_options)");
    if (options)
      wanted = *options;
    auto loaded = std::make_unique<hocket_program>();
    Status status =
        CalledProgram::load(path ? path : "", wanted, loaded->called);
    if (status.ok())
      *program = loaded.release();
    return status;
  });
}

void hocket_unload(hocket_program *program) {
  if (program && program->called->isOfThisProcess())
    delete program;
}

const char *hocket_describe(const hocket_program *program) {
  return program ? program->called->description.c_str() : "";
}

const hocket_array *hocket_inputs(const hocket_program *program,
                                  size_t *count) {
  return list(program, count, &CalledProgram::inputs);
}

const hocket_array *hocket_outputs(const hocket_program *program,
                                   size_t *count) {
  return list(program, count, &CalledProgram::outputs);
}

const hocket_array *hocket_parameters(const hocket_program *program,
                                      size_t *count) {
  return list(program, count, &CalledProgram::parameters);
}

int64_t hocket_bytes(const hocket_array *array) {
  if (!array)
    return 0;
  int64_t elements = countElements(*array).value_or(0);
  return elements ? elements * byteSize(FileType(array->element)) : 0;
}

hocket_status hocket_load_weights(hocket_program *program,
                                  const char *const *files, size_t file_count,
                                  const char *const *renames,
                                  size_t rename_count) {
  return called(program, [&](CalledProgram &of) {
    return of.loadWeights(stringsOf(files, file_count),
                          stringsOf(renames, rename_count));
  });
}

hocket_status hocket_take_weights(hocket_program *program,
                                  const hocket_array *weights, size_t count) {
  return called(program, [&](CalledProgram &of) {
    return of.takeWeights(weights, count);
  });
}

hocket_status hocket_draw_weights(hocket_program *program, uint64_t seed) {
  return called(program,
                [&](CalledProgram &of) { return of.drawWeights(seed); });
}

hocket_status hocket_run(hocket_program *program, const void *const *inputs,
                         void *const *outputs) {
  return called(program,
                [&](CalledProgram &of) { return of.run(inputs, outputs); });
}

const void *hocket_whole_output(const hocket_program *program, size_t output) {
  return program ? program->called->wholeOutput(output) : nullptr;
}

hocket_status hocket_run_arrays(hocket_program *program,
                                const hocket_array *inputs, size_t input_count,
                                const hocket_array *outputs,
                                size_t output_count) {
  return called(program, [&](CalledProgram &of) {
    return of.run(inputs, input_count, outputs, output_count);
  });
}
