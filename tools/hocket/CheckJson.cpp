//===- CheckJson.cpp - what check finds, for machines ---------------------===//

#include "CheckJson.h"

using namespace hocket;
using namespace hocket::tool;

using Json = nlohmann::ordered_json;

static void addPlace(const std::optional<Place> &place, Json &json) {
  if (place)
    json["place"] = {{"file", place->file},
                     {"line", place->line},
                     {"column", place->column},
                     {"end_line", place->endLine},
                     {"end_column", place->endColumn}};
}

static Json jsonOf(const Change &way) {
  Json json = {{"edits", Json::array()}};
  for (const Change::Edit &edit : way.edits) {
    Json each = Json::object();
    addPlace(edit.place, each);
    each["text"] = edit.text;
    json["edits"].push_back(each);
  }
  if (!way.remark.empty())
    json["remark"] = way.remark;
  return json;
}

static Json jsonOf(const Message &message) {
  bool isWarning = message.severity == Message::Severity::Warning;
  Json json = {{"severity", isWarning ? "warning" : "error"},
               {"message", message.text}};
  addPlace(message.place, json);
  json["notes"] = Json::array();
  for (const Message &note : message.notes) {
    Json each = {{"message", note.text}};
    addPlace(note.place, each);
    json["notes"].push_back(each);
  }
  json["ways_out"] = Json::array();
  for (const Change &way : message.waysOut)
    json["ways_out"].push_back(jsonOf(way));
  return json;
}

static Json jsonOf(const Finding &finding) {
  Json json = {{"schedule", nullptr}, {"train", nullptr}};
  if (!finding.checked.schedule.empty())
    json["schedule"] = finding.checked.schedule;
  if (!finding.checked.train.empty())
    json["train"] = finding.checked.train;
  json["good"] = finding.isGood;
  if (!finding.isGood)
    return json;
  json["model"] = finding.model;
  if (!finding.function.empty())
    json["function"] = finding.function;
  json["ranks"] = finding.ranks;
  json["received_bytes"] = finding.costs.receivedBytes;
  json["hook_bytes"] = finding.costs.hookBytes;
  json["memory_bytes"] = finding.costs.memoryBytes;
  return json;
}

Json tool::checkJson(const std::string &file,
                     const std::vector<Finding> &findings) {
  Json programs = Json::array(), problems = Json::array();
  bool isGood = true;
  for (const Finding &finding : findings) {
    isGood &= finding.isGood;
    programs.push_back(jsonOf(finding));
    for (const Message &message : finding.messages) {
      Json problem = jsonOf(message);
      auto same =
          std::find_if(problems.begin(), problems.end(), [&](Json other) {
            other.erase("programs");
            return other == problem;
          });
      if (same == problems.end())
        problems.push_back(problem), same = problems.end() - 1;
      (*same)["programs"].push_back(programs.size() - 1);
    }
  }
  return {{"version", 1},
          {"file", file},
          {"good", isGood},
          {"programs", programs},
          {"problems", problems}};
}
