#include "outfeed/checks/check_plan.hpp"

#include "outfeed/checks/check_catalog.hpp"
#include "text/json_object.hpp"
#include "text/json_value.hpp"
#include "text/nearest_names.hpp"
#include "text/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>

namespace popscope::outfeed {

namespace {

constexpr char kTensors[] = "tensors";
constexpr char kActions[] = "actions";
constexpr char kEscalateAfter[] = "escalate_after";
constexpr char kSampleFor[] = "sample_for";

[[noreturn]] void fail(const std::string &message) {
  throw std::invalid_argument("[outfeed] " + message);
}

std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

[[noreturn]] void failUnknown(const std::string &what, const std::string &name,
                              const std::vector<std::string> &names) {
  fail("no " + what + " '" + name + "'; did you mean " +
       text::nearestName(name, names) + "? (" + joined(names) + ")");
}

std::string rangeOf(const Setting &setting) {
  const std::string least = text::significant(setting.least, 6);
  return std::string(setting.isWhole ? "a whole number" : "a number") +
         (std::isinf(setting.most)
              ? " of at least " + least
              : " from " + least + " to " + text::significant(setting.most, 6));
}

std::string textOf(const Setting &setting) {
  return setting.isWhole ? std::to_string(std::uint64_t(*setting.value))
                         : text::jsonNumber(*setting.value);
}

void set(const Setting &setting, const text::JsonValue &value) {
  const double number =
      value.numberOr(std::numeric_limits<double>::quiet_NaN());
  if (!(number >= setting.least && number <= setting.most) ||
      std::isinf(number) || // 1e999
      (setting.isWhole && number != std::floor(number)))
    fail(std::string(setting.name) + " has to be " + rangeOf(setting));
  *setting.value = number;
}

CheckAction actionOf(const text::JsonValue &value) {
  const std::string name = value.stringOr("");
  std::vector<std::string> names;
  for (const CheckAction action : kCheckActions) {
    if (name == nameOf(action))
      return action;
    names.emplace_back(nameOf(action));
  }
  failUnknown("action", name, names);
}

std::vector<CheckAction> actionsOf(const text::JsonValue &value) {
  std::vector<CheckAction> actions;
  for (const text::JsonValue &item : value.items())
    actions.push_back(actionOf(item));
  if (actions.empty())
    fail("actions has to be a list such as [\"mark\", \"stop\"]");
  return actions;
}

TensorFilter filterOf(const text::JsonValue &value) {
  const std::string filter = value.stringOr("");
  if (filter.empty())
    fail("tensors has to be a filter such as \"kind:gradient\"");
  return TensorFilter::parse(filter);
}

PlannedCheck planned(const std::string &name) {
  PlannedCheck result;
  result.check = makeCheck(name);
  if (!result.check)
    failUnknown("check", name, checkNames());
  return result;
}

std::vector<Setting> settingsOf(PlannedCheck &planned) {
  std::vector<Setting> settings = planned.check->settings();
  settings.push_back(count(kEscalateAfter, planned.escalateAfter));
  settings.push_back(count(kSampleFor, planned.sampleFor));
  return settings;
}

void change(PlannedCheck &planned, const std::string &key,
            const text::JsonValue &value) {
  if (key == kTensors) {
    planned.check->setTensors(filterOf(value));
    return;
  }
  if (key == kActions) {
    planned.actions = actionsOf(value);
    return;
  }
  std::vector<std::string> names;
  for (const Setting &setting : settingsOf(planned)) {
    if (key == setting.name)
      return set(setting, value);
    names.emplace_back(setting.name);
  }
  names.insert(names.end(), {kTensors, kActions});
  failUnknown("setting", key, names);
}

} // namespace

std::vector<PlannedCheck> defaultChecks() {
  std::vector<PlannedCheck> checks;
  for (const std::string &name : checkNames())
    checks.push_back(planned(name));
  return checks;
}

std::vector<PlannedCheck> parseChecks(std::string_view json) {
  const text::JsonValue file = text::parseJson(json);
  if (!file.isObject())
    fail("a file of checks is an object such as {\"spike\": {\"factor\": 5}}");
  if (file.members().empty())
    fail("names no check; there are " + joined(checkNames()));
  std::vector<PlannedCheck> checks;
  std::set<std::string> names;
  for (const auto &[name, settings] : file.members()) {
    if (!names.insert(name).second)
      fail("the check '" + name + "' is there twice");
    checks.push_back(planned(name));
    try {
      if (!settings.isObject())
        fail("its settings have to be an object such as {}");
      for (const auto &[key, value] : settings.members())
        change(checks.back(), key, value);
    } catch (const std::invalid_argument &error) {
      const std::string message = error.what();
      const std::string room = "[outfeed] ";
      fail(name + ": " +
           (message.rfind(room, 0) == 0 ? message.substr(room.size())
                                        : message));
    }
  }
  return checks;
}

std::string toJson(const std::vector<PlannedCheck> &checks) {
  text::JsonObject file;
  for (const PlannedCheck &planned : checks) {
    text::JsonObject settings;
    for (const Setting &setting : planned.check->settings())
      settings.add(setting.name, textOf(setting));
    settings.string(kTensors, planned.check->tensors().text());
    settings.add(kActions,
                 text::jsonArray(planned.actions, [](CheckAction action) {
                   return text::jsonString(nameOf(action));
                 }));
    settings.count(kEscalateAfter, std::uint64_t(planned.escalateAfter));
    settings.count(kSampleFor, std::uint64_t(planned.sampleFor));
    file.add(planned.check->name(), settings.text());
  }
  return file.text();
}

std::vector<TapRule> tapsOf(const std::vector<PlannedCheck> &checks,
                            const ProgramFacts &facts) {
  std::vector<TapRule> rules;
  for (const PlannedCheck &planned : checks) {
    if (!planned.check->isApplicable(facts))
      continue;
    rules.push_back(parseTapRule(planned.check->tap()));
    rules.back().title = std::string("check ") + planned.check->name();
    rules.back().unmatched = Unmatched::isAccepted;
    if (!planned.has(CheckAction::dump))
      continue;
    TapRule whole = rules.back();
    whole.schedule = parseTapRule("* @ never").schedule;
    whole.payload = Payload::full;
    rules.push_back(std::move(whole));
  }
  std::stable_sort(
      rules.begin(), rules.end(),
      [](const TapRule &a, const TapRule &b) { return a.payload < b.payload; });
  return rules;
}

} // namespace popscope::outfeed
