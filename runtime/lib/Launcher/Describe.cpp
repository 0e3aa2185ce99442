//===- Describe.cpp - what a program takes and gives ----------------------===//

#include "hocket/Launcher/Execute.h"

using Json = nlohmann::ordered_json;

namespace hocket::runtime {

static Json describeTensors(const std::vector<plan::GlobalTensor> &tensors) {
  Json list = Json::array();
  for (const plan::GlobalTensor &tensor : tensors)
    list.push_back({{"name", tensor.name},
                    {"type", plan::toString(tensor.type)},
                    {"shape", tensor.dims}});
  return list;
}

Json describePlan(const plan::Plan &plan) {
  Json mesh = Json::array();
  for (const plan::MeshAxis &axis : plan.mesh)
    mesh.push_back({{"name", axis.name}, {"size", axis.size}});
  return {{"model", plan.model},
          {"schedule", plan.schedule},
          {"mesh", mesh},
          {"ranks", plan.rankCount()},
          {"inputs", describeTensors(plan.inputs)},
          {"outputs", describeTensors(plan.outputs)},
          {"parameters", describeTensors(plan.parameters)},
          {"ignored", plan.ignored},
          {"prefixes", plan.prefixes}};
}

} // namespace hocket::runtime
