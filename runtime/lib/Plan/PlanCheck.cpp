//===- PlanCheck.cpp - mesh, tables, tensors, ranks and buffers -----------===//

#include "Boxes.h"
#include "Checker.h"
#include "hocket/Plan/Check.h"
#include <algorithm>
#include <map>
#include <set>

namespace hocket::plan {

int64_t elementCount(const std::vector<int64_t> &shape) {
  __int128 count = 1;
  bool isEmpty = false;
  for (int64_t extent : shape) {
    if (extent < 0 || extent > largestNumber)
      return -1;
    isEmpty |= extent == 0;
    if (extent != 0)
      count *= extent;
    if (count > largestNumber)
      return -1;
  }
  return isEmpty ? 0 : int64_t(count);
}

std::string shapeToString(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

bool Checker::fail(const std::string &message) {
  error = where.empty() ? message : where + ": " + message;
  return false;
}

bool Checker::checkMesh() {
  constexpr int64_t mostRanks = 1 << 20;
  std::set<std::string> names;
  int64_t ranks = 1;
  for (const MeshAxis &axis : plan.mesh) {
    if (axis.name.empty())
      return fail("a mesh axis has no name");
    if (!names.insert(axis.name).second)
      return fail("mesh axis '" + axis.name + "' appears twice");
    if (axis.size < 1 || axis.size > mostRanks / ranks)
      return fail("mesh axis '" + axis.name + "' has size " +
                  std::to_string(axis.size) + ", expected 1 to " +
                  std::to_string(mostRanks / ranks));
    ranks *= axis.size;
  }
  return true;
}

bool Checker::checkAxes(const std::vector<int> &axes) {
  std::set<int> seen;
  for (int axis : axes) {
    if (axis < 0 || size_t(axis) >= plan.mesh.size())
      return fail("mesh axis " + std::to_string(axis) +
                  " does not exist, the "
                  "mesh has " +
                  std::to_string(plan.mesh.size()));
    if (!seen.insert(axis).second)
      return fail("mesh axis '" + plan.mesh[axis].name + "' appears twice");
  }
  return true;
}

bool Checker::checkTables() {
  for (size_t i = 0; i < plan.tables.size(); ++i) {
    const Table &table = plan.tables[i];
    where = "table " + std::to_string(i);
    if (!checkAxes(table.axes))
      return false;
    size_t expected = plan.memberCount(table.axes);
    if (table.values.size() != expected)
      return fail("has " + std::to_string(table.values.size()) +
                  " values, its axes have " + std::to_string(expected) +
                  " coordinates");
    for (int64_t value : table.values)
      if (value < -largestNumber || value > largestNumber)
        return fail("value " + std::to_string(value) + " is out of range");
  }
  where.clear();
  return true;
}

bool Checker::checkTensors(const char *what,
                           const std::vector<GlobalTensor> &tensors) {
  std::set<std::string> names;
  for (const GlobalTensor &tensor : tensors) {
    where = std::string(what) + " '" + tensor.name + "'";
    if (tensor.name.empty())
      return fail("has no name");
    if (!names.insert(tensor.name).second)
      return fail("appears twice");
    if (!checkTensor(tensor))
      return false;
  }
  where.clear();
  return true;
}

/// Every dim must be the product of the next few entries of shape.
bool Checker::checkFactors(const GlobalTensor &tensor) {
  int64_t elements = elementCount(tensor.dims);
  if (elements < 0)
    return fail("shape " + shapeToString(tensor.dims) + " is out of range");
  size_t next = 0;
  bool fits = elementCount(tensor.shape) == elements;
  for (int64_t dim : tensor.dims) {
    int64_t product = 1;
    for (bool first = true; fits && (first || product != dim); first = false) {
      fits = next < tensor.shape.size() && tensor.shape[next] <= dim;
      product *= fits ? tensor.shape[next++] : 1;
      fits &= product <= dim;
    }
  }
  while (fits && next < tensor.shape.size())
    fits = tensor.shape[next++] == 1;
  return fits ||
         fail("factors " + shapeToString(tensor.shape) +
              " do not multiply to the shape " + shapeToString(tensor.dims));
}

bool Checker::checkTensor(const GlobalTensor &tensor) {
  if (!checkFactors(tensor) || !checkAxes(tensor.replicatedOver))
    return false;
  std::set<int> dims;
  for (const Cut &cut : tensor.cuts)
    if (!checkCut(tensor, cut))
      return false;
    else if (!dims.insert(cut.dim).second)
      return fail("factor " + std::to_string(cut.dim) + " is cut twice");
  return true;
}

bool Checker::checkCut(const GlobalTensor &tensor, const Cut &cut) {
  if (cut.dim < 0 || size_t(cut.dim) >= tensor.shape.size())
    return fail("cut of factor " + std::to_string(cut.dim) + ", there are " +
                std::to_string(tensor.shape.size()));
  std::vector<int> tables = {cut.offset, cut.size};
  if (cut.runs)
    tables.insert(tables.end(), {cut.runs->begin, cut.runs->first,
                                 cut.runs->length, cut.runs->every});
  for (int table : tables)
    if (table < 0 || size_t(table) >= plan.tables.size())
      return fail("table " + std::to_string(table) + " does not exist");
  const Table &offset = plan.tables[cut.offset];
  const Table &size = plan.tables[cut.size];
  for (int table : tables)
    if (offset.axes != plan.tables[table].axes)
      return fail("the tables of a cut are over different axes");
  for (size_t i = 0; i < offset.values.size(); ++i) {
    int64_t begin = offset.values[i], count = size.values[i];
    if (begin < 0 || count < 0 || begin + count > tensor.shape[cut.dim])
      return fail("cut [" + std::to_string(begin) + ", " +
                  std::to_string(begin + count) + ") leaves the extent " +
                  std::to_string(tensor.shape[cut.dim]));
  }
  return !cut.runs || checkRuns(cut, tensor.shape[cut.dim]);
}

std::vector<int> Checker::axesOf(const GlobalTensor &tensor) const {
  std::vector<int> axes;
  for (const Cut &cut : tensor.cuts)
    for (int table : {cut.offset, cut.size})
      axes.insert(axes.end(), plan.tables[table].axes.begin(),
                  plan.tables[table].axes.end());
  return axes;
}

const std::vector<int64_t> &Checker::ranksAlong(std::vector<int> axes) {
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  auto [entry, isNew] = representatives.try_emplace({current, axes});
  if (!isNew)
    return entry->second;
  std::vector<bool> seen(plan.memberCount(axes), false);
  for (int64_t rank : current->ranks) {
    int64_t at = plan.coordinate(rank, axes);
    if (!seen[at])
      entry->second.push_back(rank);
    seen[at] = true;
  }
  return entry->second;
}

/// Every element of an output or state is written, and by one rank only: the
/// boxes of the writers are disjoint and have as many elements as the tensor.
bool Checker::checkWritersCover(const char *what, const GlobalTensor &tensor) {
  where = std::string(what) + " '" + tensor.name + "'";
  std::vector<Box> boxes;
  __int128 written = 0;
  for (int64_t rank = 0; rank < plan.rankCount(); ++rank) {
    if (!writesOutput(plan, tensor, rank))
      continue;
    Box box = boxOf(plan, tensor, rank);
    if (int64_t elements = elementCount(box.size)) {
      written += elements;
      boxes.push_back(std::move(box));
    }
  }
  if (written != elementCount(tensor.dims))
    return fail("ranks write " + std::to_string(int64_t(written)) + " of " +
                std::to_string(elementCount(tensor.dims)) + " elements");
  // Boxes sorted by their beginnings: equal volumes leave overlap as the only
  // fault, and any two overlapping boxes are found by comparing all pairs.
  constexpr size_t mostPairs = 2048;
  for (size_t i = 0; i < boxes.size() && boxes.size() <= mostPairs; ++i)
    for (size_t j = i + 1; j < boxes.size(); ++j)
      if (overlap(boxes[i], boxes[j]))
        return fail("two ranks write the same elements");
  return true;
}

bool Checker::checkRanks() {
  std::vector<int> classOf(plan.rankCount(), -1);
  for (size_t c = 0; c < plan.classes.size(); ++c) {
    where = "class " + std::to_string(c);
    if (plan.classes[c].ranks.empty())
      return fail("has no rank");
    for (int64_t rank : plan.classes[c].ranks) {
      if (rank < 0 || rank >= plan.rankCount())
        return fail("rank " + std::to_string(rank) +
                    " does not exist, the mesh has " +
                    std::to_string(plan.rankCount()));
      if (classOf[rank] >= 0)
        return fail("rank " + std::to_string(rank) + " is in class " +
                    std::to_string(classOf[rank]) + " already");
      classOf[rank] = int(c);
    }
  }
  where.clear();
  auto missing = std::find(classOf.begin(), classOf.end(), -1);
  return missing == classOf.end() ||
         fail("rank " + std::to_string(missing - classOf.begin()) +
              " is in no class");
}

/// What a rank has of an input or output.
static bool isBox(Region region) {
  return region == Region::Input || region == Region::Output;
}

bool Checker::checkBuffers() {
  std::string front = where;
  const Budget &budget = current->budget;
  if (budget.arenaBytes < 0 || budget.arenaBytes > largestNumber ||
      budget.weightBytes < 0 || budget.weightBytes > largestNumber ||
      budget.stateBytes < 0 || budget.stateBytes > largestNumber)
    return fail("the budget is out of range");
  std::map<std::pair<Region, int64_t>, const Buffer *> boxes;
  for (size_t i = 0; i < current->buffers.size(); ++i) {
    where = front + ", buffer " + std::to_string(i);
    const Buffer &buffer = current->buffers[i];
    if (!checkBuffer(buffer))
      return false;
    if (!isBox(buffer.region))
      continue;
    auto first =
        boxes.emplace(std::pair(buffer.region, buffer.offset), &buffer);
    if (first.first->second->strides != buffer.strides)
      return fail("has other strides than an earlier buffer of its tensor");
  }
  where = front;
  return true;
}

/// Whether elements of these sizes, in some order, have no gap between them.
static bool isDense(const std::vector<int64_t> &sizes,
                    const std::vector<int64_t> &strides) {
  if (sizes.size() != strides.size())
    return false;
  std::vector<std::pair<int64_t, int64_t>> dims;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0)
      return true;
    if (sizes[i] > 1)
      dims.push_back({strides[i], sizes[i]});
  }
  std::sort(dims.begin(), dims.end());
  int64_t expected = 1;
  for (auto [stride, size] : dims) {
    if (stride != expected)
      return false;
    expected *= size;
  }
  return true;
}

bool Checker::checkBuffer(const Buffer &buffer) {
  if (buffer.bytes < 0 || buffer.bytes > largestNumber ||
      buffer.bytes % byteSize(buffer.type) != 0)
    return fail("has " + std::to_string(buffer.bytes) +
                " bytes, which is no number of " + toString(buffer.type));
  if (!isBox(buffer.region)) {
    if (!buffer.strides.empty())
      return fail("has strides, which only inputs and outputs have");
    const Budget &budget = current->budget;
    int64_t limit = buffer.region == Region::Arena     ? budget.arenaBytes
                    : buffer.region == Region::Weights ? budget.weightBytes
                                                       : budget.stateBytes;
    if (buffer.offset < 0 || buffer.offset % 64 != 0)
      return fail("offset " + std::to_string(buffer.offset) +
                  " is not a multiple of 64");
    if (buffer.offset > limit || buffer.bytes > limit - buffer.offset)
      return fail(
          "ends at byte " +
          std::to_string(__int128(buffer.offset) + buffer.bytes > largestNumber
                             ? largestNumber
                             : buffer.offset + buffer.bytes) +
          " of " + std::to_string(limit) +
          (buffer.region == Region::Arena     ? " arena bytes"
           : buffer.region == Region::Weights ? " weight bytes"
                                              : " state bytes"));
    return true;
  }
  bool isInput = buffer.region == Region::Input;
  const auto &tensors = isInput ? plan.inputs : plan.outputs;
  if (buffer.offset < 0 || size_t(buffer.offset) >= tensors.size())
    return fail(std::string(isInput ? "input " : "output ") +
                std::to_string(buffer.offset) + " does not exist");
  const GlobalTensor &tensor = tensors[buffer.offset];
  if (tensor.type != buffer.type)
    return fail(std::string("is ") + toString(buffer.type) + ", '" +
                tensor.name + "' is " + toString(tensor.type));
  for (int64_t rank : ranksAlong(axesOf(tensor))) {
    std::vector<int64_t> sizes = boxOf(plan, tensor, rank).size;
    int64_t bytes = elementCount(sizes) * byteSize(buffer.type);
    if (bytes != buffer.bytes)
      return fail("has " + std::to_string(buffer.bytes) + " bytes, '" +
                  tensor.name + "' on rank " + std::to_string(rank) + " has " +
                  std::to_string(bytes));
    if (!buffer.strides.empty() && !isDense(sizes, buffer.strides))
      return fail("has strides that leave gaps in '" + tensor.name + "'");
  }
  return true;
}

/// A rank that writes an output must compute it somewhere.
bool Checker::checkOutputs() {
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    bool has = false, needs = false;
    for (const Buffer &buffer : current->buffers)
      has |= buffer.region == Region::Output && buffer.offset == int64_t(i);
    for (int64_t rank : current->ranks)
      needs |= writesOutput(plan, plan.outputs[i], rank);
    if (needs && !has)
      return fail("has no buffer for the output '" + plan.outputs[i].name +
                  "'");
  }
  return true;
}

bool Checker::checkClass() {
  if (!checkBuffers() || !checkOutputs() || !checkStates())
    return false;
  if (current->packs < 0 || current->packs > int64_t(current->load.size()))
    return fail("has " + std::to_string(current->packs) +
                " packed weights and " + std::to_string(current->load.size()) +
                " load instructions");
  packed.assign(current->packs, nullptr);
  return checkInstructions(current->load, true) &&
         checkInstructions(current->step, false);
}

/// A program that validates gives a loss, changes nothing and runs on the same
/// mesh.
bool Checker::checkRecipe() {
  where = "recipe";
  const Recipe &recipe = plan.recipe;
  for (int64_t number : {recipe.saveEvery, recipe.keep, recipe.validateEvery,
                         recipe.validationBatches, recipe.steps, recipe.seed})
    if (number < 0)
      return fail("says " + std::to_string(number));
  where = "validation";
  if (plan.validation.size() > 1)
    return fail("is " + std::to_string(plan.validation.size()) +
                " programs, expected one");
  for (const Plan &validation : plan.validation) {
    bool fits = validation.target == plan.target &&
                validation.mesh.size() == plan.mesh.size() &&
                validation.states.empty() && validation.validation.empty() &&
                validation.outputs.size() == 1 &&
                elementCount(validation.outputs[0].dims) == 1;
    for (size_t axis = 0; fits && axis < plan.mesh.size(); ++axis)
      fits = plan.mesh[axis].name == validation.mesh[axis].name &&
             plan.mesh[axis].size == validation.mesh[axis].size;
    if (!fits)
      return fail("is no program of one number on the same mesh");
    if (!check(validation, error))
      return fail(error);
  }
  return true;
}

bool Checker::run() {
  if (plan.classes.empty())
    return fail("there is no rank class");
  if (!checkMesh() || !checkTables() || !checkTensors("input", plan.inputs) ||
      !checkTensors("output", plan.outputs) ||
      !checkTensors("parameter", plan.parameters) ||
      !checkInits(plan.parameters) || !checkTensors("state", plan.states) ||
      !checkRanks())
    return false;
  for (const GlobalTensor &tensor : plan.outputs)
    if (!checkWritersCover("output", tensor))
      return false;
  for (const GlobalTensor &tensor : plan.states)
    if (!checkWritersCover("state", tensor))
      return false;
  for (size_t c = 0; c < plan.classes.size(); ++c) {
    current = &plan.classes[c];
    where = "class " + std::to_string(c);
    if (!checkClass())
      return false;
  }
  where.clear();
  return checkClassesAgree() && checkRecipe();
}

bool check(const Plan &plan, std::string &error) {
  return Checker(plan, error).run();
}

} // namespace hocket::plan
