//===- CheckJson.h - what check finds, for machines ------------*- C++ -*-===//

#ifndef HOCKET_TOOLS_HOCKET_CHECKJSON_H
#define HOCKET_TOOLS_HOCKET_CHECKJSON_H

#include "hocket/Pipeline/Message.h"
#include "hocket/Plan/Costs.h"
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hocket::tool {

/// What is compiled as one; empty names: one device, no training.
struct Checked {
  std::string schedule, train;
};

/// What was found in one program.
struct Finding {
  Checked checked;
  bool isGood = false;
  std::string text; // the messages, as they are printed
  std::vector<Message> messages;
  // Of a good one; the costs are those of the rank with the most.
  std::string model, function; // of a dump no function
  int64_t ranks = 0;
  plan::Costs costs;
};

/// As docs/check.schema.json says.
nlohmann::ordered_json checkJson(const std::string &file,
                                 const std::vector<Finding> &findings);

} // namespace hocket::tool

#endif // HOCKET_TOOLS_HOCKET_CHECKJSON_H
