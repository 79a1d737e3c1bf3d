// The HParams page: what was varied between runs, and how each run ended.
#pragma once

#include "summary/tag.hpp"
#include "summary/types.hpp"
#include "summary/value.hpp"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace popscope::summary {

using HParam = std::variant<bool, double, std::string>;
using HParams = std::map<std::string, HParam>;

// One run with its hyperparameters. Runs with the same group name are shown as
// one row; without a name each run is a row of its own. Non-finite numbers are
// written as text, since the page cannot send them.
struct SessionStart {
  HParams hparams;
  std::string groupName;
  WallTime started = systemTime();
};

enum class SessionStatus { unknown, success, failure, running };

// A session without an end is shown as running.
struct SessionEnd {
  SessionStatus status = SessionStatus::success;
  WallTime ended = systemTime();
};

// Describes hyperparameters and metrics once, for all runs below the directory
// it is written to. It is seldom needed: without it the page finds both in the
// runs themselves, and what it leaves out is never shown.
struct Experiment {
  struct HParamInfo {
    std::string name;
    std::string displayName;
    std::string description;
    std::vector<HParam> domain; // the values it can take; empty if any
  };
  struct MetricInfo {
    Tag tag;           // of a scalar
    std::string group; // run below the session's run; "" is the session's
    std::string displayName;
  };
  std::vector<HParamInfo> hparams;
  std::vector<MetricInfo> metrics;
};

Value toValue(const SessionStart &start);
Value toValue(const SessionEnd &end);
Value toValue(const Experiment &experiment);

// The tags the page looks for.
const Tag &sessionStartTag();
const Tag &sessionEndTag();
const Tag &experimentTag();

} // namespace popscope::summary
