//===- Journal.cpp - what came of the cases of a long run -----------------===//

#include "Journal.h"

using namespace hocket::random;
using Json = nlohmann::ordered_json;

static Json toJson(const std::map<std::string, Moved> &moved) {
  Json json = Json::object();
  for (auto &[kind, sums] : moved)
    json[kind] = {sums.calls, sums.bytes, sums.messages};
  return json;
}

static Json toJson(const CaseResult &result) {
  return {{"verdict", int(result.verdict)},    {"reason", result.reason},
          {"refusal", result.refusal},         {"error", result.error},
          {"tolerance", result.tolerance},     {"ranks", result.ranks},
          {"collectives", result.collectives}, {"exact", result.isExact},
          {"mended", result.isMended},         {"wide", result.isWide},
          {"followed", result.isFollowed},     {"features", result.features},
          {"digest", result.digest},           {"moved", toJson(result.moved)}};
}

static CaseResult fromJson(const Json &json) {
  CaseResult result;
  result.verdict = Verdict(json.at("verdict").get<int>());
  json.at("reason").get_to(result.reason);
  json.at("refusal").get_to(result.refusal);
  // JSON has null for what is infinite.
  if (json.at("error").is_number())
    json.at("error").get_to(result.error);
  json.at("tolerance").get_to(result.tolerance);
  json.at("ranks").get_to(result.ranks);
  json.at("collectives").get_to(result.collectives);
  json.at("exact").get_to(result.isExact);
  json.at("mended").get_to(result.isMended);
  result.isFollowed = json.value("followed", false);
  json.at("wide").get_to(result.isWide);
  json.at("features").get_to(result.features);
  return result;
}

static std::string headOf(uint64_t seed, CaseKind kind) {
  return "seed " + std::to_string(seed) +
         (kind.target == hocket::plan::Target::Cuda ? ", cuda" : "") +
         (kind.isGrid ? ", windows" : "") +
         (kind.isAttention ? ", attention" : "") +
         (kind.hasGradients ? ", gradients" : "");
}

std::string Journal::open(const std::string &path, uint64_t seed,
                          CaseKind kind) {
  head = headOf(seed, kind);
  std::ifstream written(path);
  for (std::string line; std::getline(written, line);) {
    Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) // empty, or the last one of a run that was killed
      continue;
    if (json.at("of") != head)
      return path + " is of " + json.at("of").get<std::string>() +
             ", this run of " + head + "; name another file";
    entries[json.at("case").get<uint64_t>()] = {
        fromJson(json.at("result")), Coverage::fromJson(json.at("coverage"))};
  }
  file.open(path, std::ios::app);
  if (!entries.empty())
    file << "\n"; // behind a line that may have been cut off
  return file ? "" : "cannot write " + path + "; name another file";
}

const Journal::Entry *Journal::find(uint64_t number) const {
  auto found = entries.find(number);
  return found == entries.end() ? nullptr : &found->second;
}

void Journal::add(uint64_t number, const Entry &entry) {
  if (!file.is_open())
    return;
  Json line = {{"of", head},
               {"case", number},
               {"result", toJson(entry.result)},
               {"coverage", entry.coverage.json()}};
  file << line.dump() << std::endl;
}
