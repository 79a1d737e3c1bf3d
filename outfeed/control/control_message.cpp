#include "outfeed/control/control_message.hpp"

#include "text/json_object.hpp"
#include "text/json_value.hpp"
#include "text/number_text.hpp"

#include <limits>
#include <stdexcept>
#include <utility>

namespace popscope::outfeed {

namespace {

using text::JsonObject;
using text::JsonValue;

constexpr const char *kVersionKey = "popscope_control";
constexpr unsigned kVersion = 1;

[[noreturn]] void refuseMessage(const std::string &reason) {
  throw std::invalid_argument("[outfeed] not a control message: " + reason);
}

std::string listJson(const std::vector<std::string> &words) {
  return text::jsonArray(
      words, [](const std::string &word) { return text::jsonString(word); });
}

JsonObject newMessage() {
  JsonObject object;
  object.count(kVersionKey, kVersion);
  return object;
}

// Of the value, if it is of that type.

std::string stringOf(const JsonValue &value) {
  if (value.stringOr("a") != value.stringOr("b"))
    refuseMessage("text is expected");
  return value.stringOr("");
}

std::uint64_t countOf(const JsonValue &value) {
  constexpr double kMost = 9007199254740992; // beyond, doubles have gaps
  const double number = value.numberOr(-1);
  if (!(number >= 0 && number <= kMost) ||
      number != double(std::uint64_t(number)))
    refuseMessage("a whole number is expected");
  return std::uint64_t(number);
}

std::uint32_t updateOf(const JsonValue &value) {
  const std::uint64_t count = countOf(value);
  if (count > std::numeric_limits<std::uint32_t>::max())
    refuseMessage("a number is too large");
  return std::uint32_t(count);
}

std::vector<std::string> listOf(const JsonValue &value) {
  std::vector<std::string> words;
  for (const JsonValue &item : value.items())
    words.push_back(stringOf(item));
  return words;
}

JsonValue parse(std::string_view text) {
  JsonValue value;
  try {
    value = text::parseJson(text);
  } catch (const std::invalid_argument &error) {
    refuseMessage(error.what());
  }
  const JsonValue &version = value[kVersionKey];
  if (version.isNull())
    refuseMessage(std::string("it has no ") + kVersionKey);
  if (countOf(version) != kVersion)
    refuseMessage("it is of version " + std::to_string(countOf(version)) +
                  ", not of " + std::to_string(kVersion) +
                  "; use the popscope that the program was started with");
  return value;
}

std::string statusJson(const ControlStatus &status) {
  JsonObject object;
  object.string("tensor", status.tensor);
  object.string("at", status.moment);
  object.add("on", status.isOn ? "true" : "false");
  object.string("schedule", status.schedule);
  if (!status.when.empty())
    object.string("when", status.when);
  object.string("payload", status.payload);
  object.add("payloads", listJson(status.payloads));
  object.count("sent", status.sent);
  return object.text();
}

ControlStatus statusOf(const JsonValue &value) {
  ControlStatus status;
  status.tensor = stringOf(value["tensor"]);
  status.moment = stringOf(value["at"]);
  status.isOn = value["on"].boolOr(false);
  status.schedule = stringOf(value["schedule"]);
  status.when = value["when"].stringOr("");
  status.payload = stringOf(value["payload"]);
  status.payloads = listOf(value["payloads"]);
  status.sent = countOf(value["sent"]);
  return status;
}

std::string interveningJson(const ControlRequest::Intervening &asked) {
  JsonObject object;
  object.string("filter", asked.filter);
  object.string("kind", nameOf(asked.change.kind));
  object.add("amount", text::shortestDecimal(asked.change.amount));
  return object.text();
}

ControlRequest::Intervening interveningOf(const JsonValue &value) {
  return {stringOf(value["filter"]),
          parseChange(stringOf(value["kind"]),
                      value["amount"].numberOr(
                          std::numeric_limits<double>::quiet_NaN()))};
}

std::string statusJson(const InterventionStatus &status) {
  JsonObject object;
  object.string("tensor", status.tensor);
  object.string("at", status.moment);
  object.string("change", status.change);
  object.count("updates_left", status.updatesLeft);
  return object.text();
}

InterventionStatus interventionStatusOf(const JsonValue &value) {
  InterventionStatus status;
  status.tensor = stringOf(value["tensor"]);
  status.moment = stringOf(value["at"]);
  status.change = stringOf(value["change"]);
  status.updatesLeft = countOf(value["updates_left"]);
  return status;
}

} // namespace

std::string toJson(const ControlRequest &request) {
  JsonObject object = newMessage();
  const std::pair<const char *, const std::vector<std::string> &> lists[] = {
      {"enable", request.enable},
      {"disable", request.disable},
      {"dump", request.dump},
      {"cancel", request.cancel}};
  for (const auto &[key, filters] : lists)
    if (!filters.empty())
      object.add(key, listJson(filters));
  if (request.everythingOnce)
    object.add("everything_once", "true");
  if (request.every)
    object.count("every", *request.every);
  if (request.payload)
    object.string("payload", nameOf(*request.payload));
  if (request.when)
    object.string("when", *request.when);
  if (!request.interventions.empty())
    object.add("intervene",
               text::jsonArray(request.interventions, interveningJson));
  if (request.forUpdates)
    object.count("for", *request.forUpdates);
  return object.text();
}

ControlRequest parseControlRequest(std::string_view text) {
  const JsonValue message = parse(text);
  ControlRequest request;
  for (const auto &[key, value] : message.members())
    if (key == "enable")
      request.enable = listOf(value);
    else if (key == "disable")
      request.disable = listOf(value);
    else if (key == "dump")
      request.dump = listOf(value);
    else if (key == "everything_once")
      request.everythingOnce = value.boolOr(false);
    else if (key == "every")
      request.every = updateOf(value);
    else if (key == "payload")
      request.payload = parsePayload(stringOf(value));
    else if (key == "when")
      request.when = stringOf(value);
    else if (key == "cancel")
      request.cancel = listOf(value);
    else if (key == "intervene")
      for (const JsonValue &item : value.items())
        request.interventions.push_back(interveningOf(item));
    else if (key == "for")
      request.forUpdates = updateOf(value);
    else if (key != kVersionKey)
      refuseMessage("'" + key + "' is not known");
  return request;
}

std::string toJson(const ControlReply &reply) {
  JsonObject object = newMessage();
  if (!reply.refusal.empty())
    object.string("refusal", reply.refusal);
  if (reply.update)
    object.count("update", reply.update->value());
  object.add("changes", listJson(reply.changes));
  object.add("taps", text::jsonArray(reply.status, [](const auto &status) {
               return statusJson(status);
             }));
  if (!reply.interventions.empty())
    object.add("interventions",
               text::jsonArray(reply.interventions, [](const auto &status) {
                 return statusJson(status);
               }));
  return object.text();
}

ControlReply parseControlReply(std::string_view text) {
  const JsonValue message = parse(text);
  ControlReply reply;
  reply.refusal = message["refusal"].stringOr("");
  if (!message["update"].isNull())
    reply.update = Update(updateOf(message["update"]));
  reply.changes = listOf(message["changes"]);
  for (const JsonValue &item : message["taps"].items())
    reply.status.push_back(statusOf(item));
  for (const JsonValue &item : message["interventions"].items())
    reply.interventions.push_back(interventionStatusOf(item));
  return reply;
}

} // namespace popscope::outfeed
