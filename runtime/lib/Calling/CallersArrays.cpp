//===- CallersArrays.cpp - tensors in memory of who calls -----------------===//

#include "runtime/lib/Calling/CallersArrays.h"
#include "hocket/Io/TensorCheck.h"
#include <algorithm>
#include <cctype>

namespace hocket::runtime {

static_assert(int(FileType::F64) == HOCKET_ELEMENT_F64 &&
                  int(FileType::I64) == HOCKET_ELEMENT_I64 &&
                  int(FileType::Bool) == HOCKET_ELEMENT_BOOL,
              "the types of files in the order of hocket.h");

static bool isElement(int32_t element) {
  return element >= HOCKET_ELEMENT_F64 && element <= HOCKET_ELEMENT_BOOL;
}

static std::vector<int64_t> shapeOf(const hocket_array &array) {
  if (array.dims <= 0)
    return {};
  return std::vector<int64_t>(array.shape, array.shape + array.dims);
}

std::optional<int64_t> countElements(const hocket_array &array) {
  if (!isElement(array.element) || array.dims < 0 ||
      (array.dims > 0 && !array.shape))
    return std::nullopt;
  return countElements(shapeOf(array), byteSize(FileType(array.element)));
}

/// Why `array` cannot be one; empty if it can.
static std::string faultOf(const hocket_array &array) {
  if (!isElement(array.element))
    return "has the type " + std::to_string(array.element) +
           ", which is none of hocket_element";
  std::optional<int64_t> elements = countElements(array);
  if (!elements)
    return "has a shape that no array can have";
  return *elements > 0 && !array.data ? "has no data, but a null pointer" : "";
}

static Status checkArrays(const std::string &title, const hocket_array *arrays,
                          size_t count) {
  if (count > 0 && !arrays)
    return Status::userError(title + ": the list of arrays is a null pointer");
  for (size_t i = 0; i < count; ++i) {
    if (!arrays[i].name)
      return Status::userError(title + ": array " + std::to_string(i) +
                               " has no name");
    if (std::string fault = faultOf(arrays[i]); !fault.empty())
      return Status::userError(title + ": array '" + arrays[i].name + "' " +
                               fault);
  }
  return Status::success();
}

// ---- arrays that are read -------------------------------------------------

Status ReadArrays::add(const hocket_array *given, size_t count,
                       const NameMap &map) {
  if (Status status = checkArrays(title, given, count); !status.ok())
    return status;
  for (size_t i = 0; i < count; ++i) {
    StoredTensor stored{FileType(given[i].element), shapeOf(given[i]),
                        static_cast<const uint8_t *>(given[i].data)};
    std::string called = map.apply(given[i].name);
    if (!arrays.emplace(called, stored).second)
      return Status::userError(title + " has two tensors '" + called + "'");
  }
  return Status::success();
}

void ReadArrays::put(const plan::GlobalTensor &tensor, const void *data) {
  arrays[tensor.name] = {fileTypeOf(tensor.type), tensor.dims,
                         static_cast<const uint8_t *>(data)};
}

std::vector<std::string> ReadArrays::names() const {
  std::vector<std::string> names;
  for (const auto &entry : arrays)
    names.push_back(entry.first);
  return names;
}

const StoredTensor *ReadArrays::find(const std::string &tensor) const {
  auto found = arrays.find(tensor);
  return found == arrays.end() ? nullptr : &found->second;
}

/// The executor has asked for the tensor before.
Status ReadArrays::read(const std::string &tensor, const Box &box,
                        plan::DType type, void *destination) const {
  return readStored(*find(tensor), title + ": tensor '" + tensor + "'", box,
                    type, destination);
}

// ---- arrays that are written ----------------------------------------------

static std::string spell(const hocket_array &array) {
  std::string word = toString(FileType(array.element));
  for (char &c : word)
    c = char(std::tolower(c));
  std::string dims = spell(plan::DType::F32, shapeOf(array));
  return word + dims.substr(dims.find(' '));
}

Status WrittenArrays::add(const plan::Plan &plan, const hocket_array *given,
                          size_t count) {
  const std::string title = "output in memory";
  if (Status status = checkArrays(title, given, count); !status.ok())
    return status;
  std::vector<std::string> known;
  for (const plan::GlobalTensor &output : plan.outputs)
    known.push_back(output.name);
  for (size_t i = 0; i < count; ++i) {
    const hocket_array &array = given[i];
    auto output = std::find_if(
        plan.outputs.begin(), plan.outputs.end(),
        [&](const auto &tensor) { return tensor.name == array.name; });
    if (output == plan.outputs.end()) {
      std::string near = nearestName(array.name, known);
      return Status::userError(
          title + ": the program gives no '" + array.name + "'" +
          (near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    if (FileType(array.element) != fileTypeOf(output->type) ||
        shapeOf(array) != output->dims)
      return Status::userError(title + ": tensor '" + array.name + "' is " +
                               spell(array) + ", expected " +
                               runtime::spell(output->type, output->dims));
    if (places.count(array.name))
      return Status::userError(title + " has two tensors '" + array.name + "'");
    put(*output, array.data);
  }
  return Status::success();
}

void WrittenArrays::put(const plan::GlobalTensor &tensor, void *data) {
  places[tensor.name] = {tensor.type, data};
}

Status WrittenArrays::prepare(const std::string &, const TensorDescription &) {
  return Status::success();
}

Status WrittenArrays::write(const std::string &tensor, const Box &box,
                            const void *source) {
  auto found = places.find(tensor);
  if (found != places.end() && found->second.data)
    writeBox(found->second.data, box, source, found->second.type);
  return Status::success();
}

} // namespace hocket::runtime
