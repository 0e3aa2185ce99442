//===- Weights.cpp - weights whose mistakes show --------------------------===//

#include "test/Gpu/Defects/Weights.h"
#include "test/Random/Rng.h"
#include <cmath>
#include <nlohmann/json.hpp>

namespace hocket::test {

/// Weights by how many elements a result is the sum of; scales near 1, biases
/// near 0.
static float drawn(const nlohmann::ordered_json &parameter, random::Rng &rng) {
  double unit = double(rng.below(1 << 24)) / (1 << 23) - 1; // in [-1, 1)
  const nlohmann::ordered_json &dims = parameter.at("dims");
  std::string name = parameter.at("name");
  bool isBias = name.size() >= 4 && name.substr(name.size() - 4) == "bias";
  if (dims.size() < 2)
    return static_cast<float>(unit / 2 + !isBias);
  double terms = 1;
  for (size_t dim = 1; dim < dims.size(); ++dim)
    terms *= dims[dim].get<double>();
  return static_cast<float>(unit * 2.4 / std::sqrt(terms));
}

std::string weightsFor(const std::string &plan) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::string data;
  random::Rng rng(1);
  nlohmann::ordered_json parameters =
      nlohmann::ordered_json::parse(plan).at("parameters");
  for (const nlohmann::ordered_json &parameter : parameters) {
    size_t begin = data.size(), count = 1;
    for (const nlohmann::ordered_json &dim : parameter.at("dims"))
      count *= dim.get<size_t>();
    for (size_t i = 0; i < count; ++i) {
      float value = drawn(parameter, rng);
      data.append(reinterpret_cast<const char *>(&value), sizeof value);
    }
    header[parameter.at("name").get<std::string>()] = {
        {"dtype", "F32"},
        {"shape", parameter.at("dims")},
        {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  uint64_t length = text.size();
  return std::string(reinterpret_cast<const char *>(&length), sizeof length) +
         text + data;
}

} // namespace hocket::test
