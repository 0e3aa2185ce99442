//===- Summary.cpp - counting verdicts ------------------------------------===//

#include "Summary.h"

using namespace hocket::random;

void Summary::add(const CaseResult &result) {
  ++cases;
  switch (result.verdict) {
  case Verdict::Equal:
    ++equal;
    several += result.collectives >= 2;
    exact += result.isExact;
    worst = std::max(worst, result.error / result.tolerance);
    wide += result.isWide;
    for (const std::string &feature : result.features) {
      ++features[feature];
      if (result.isWide && feature.rfind("op, split | ", 0) == 0)
        ++features["op, split, in float64" + feature.substr(9)];
    }
    break;
  case Verdict::Refused:
    ++refused;
    ++refusals[result.refusal];
    followed += result.isFollowed;
    if (result.isMended)
      ++mended;
    else if (!result.isFollowed)
      ++reasons[result.reason];
    break;
  case Verdict::IllPosed:
    ++illPosed;
    break;
  case Verdict::Failed:
    ++failed;
    break;
  }
}

/// Of each group how many equal cases have each of its names.
static nlohmann::ordered_json
grouped(const std::map<std::string, int64_t> &features) {
  nlohmann::ordered_json groups = nlohmann::ordered_json::object();
  for (auto &[feature, count] : features) {
    size_t bar = feature.find(" | ");
    groups[feature.substr(0, bar)][feature.substr(bar + 3)] = count;
  }
  return groups;
}

nlohmann::ordered_json Summary::json() const {
  nlohmann::ordered_json unmet = nlohmann::ordered_json::array();
  for (auto &[row, count] : coverage.rows())
    if (!count)
      unmet.push_back(row);
  return {{"cases", cases},
          {"equal", equal},
          {"equal_share", acceptedShare()},
          {"two_or_more_collectives_share", severalShare()},
          {"exact", exact},
          {"also_in_float64", wide},
          {"largest_error_of_tolerance", worst},
          {"refused", refused},
          {"refused_but_equal_under_auto_reshard", mended},
          {"refused_but_equal_as_proposed", followed},
          {"ill_posed", illPosed},
          {"failed", failed},
          {"rows", coverage.rows().size()},
          {"rows_met", coverage.met()},
          {"rows_unmet", unmet},
          {"instructions", coverage.kinds()},
          {"other_refusals", reasons},
          {"refusals", refusals},
          {"equal_cases_with", grouped(features)}};
}
