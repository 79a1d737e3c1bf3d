#include "outfeed/health/arrival.hpp"

#include "text/json_object.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

namespace popscope::outfeed {

namespace {

// "replica 3", "replicas 0 to 2, 5"
std::string listed(const std::string &noun, const std::set<unsigned> &numbers) {
  std::string text = noun + (numbers.size() > 1 ? "s" : "");
  const char *separator = " ";
  for (auto first = numbers.begin(); first != numbers.end();) {
    auto last = first;
    unsigned length = 1;
    for (auto next = std::next(first);
         next != numbers.end() && *next == *last + 1; ++next, ++length)
      last = next;
    text += separator + std::to_string(*first);
    if (length > 1)
      text += (length == 2 ? ", " : " to ") + std::to_string(*last);
    separator = ", ";
    first = std::next(last);
  }
  return text;
}

auto keyOf(const Arrival &arrival) {
  return std::tuple(arrival.isReceived, arrival.update.value(), arrival.tensor);
}

} // namespace

std::vector<std::string> arrivalLines(const std::vector<Arrival> &arrivals,
                                      const ReplicaSlice &slice) {
  std::vector<std::string> lines;
  std::vector<Arrival> left = arrivals;
  while (!left.empty()) {
    const Arrival first = left.front();
    const auto others = std::stable_partition(
        left.begin(), left.end(),
        [&](const Arrival &other) { return keyOf(other) == keyOf(first); });
    std::set<unsigned> replicas, instances;
    for (auto arrival = left.begin(); arrival != others; ++arrival) {
      replicas.insert(arrival->replica);
      instances.insert(slice.instanceOf(arrival->replica));
    }
    lines.push_back(
        (first.isReceived ? "received by a reduction: " : "began here: ") +
        listed("replica", replicas) +
        (slice.isSplit() ? " (" + listed("instance", instances) + ")" : "") +
        ", update " + std::to_string(first.update.value()) + ", " +
        first.tensor);
    left.erase(left.begin(), others);
  }
  return lines;
}

std::string toJson(const std::vector<Arrival> &arrivals,
                   const ReplicaSlice &slice) {
  return text::jsonArray(arrivals, [&slice](const Arrival &arrival) {
    text::JsonObject object;
    object.count("replica", arrival.replica);
    object.count("instance", slice.instanceOf(arrival.replica));
    object.string("tensor", arrival.tensor);
    object.count("update", arrival.update.value());
    object.string("how", arrival.isReceived ? "received" : "began");
    return object.text();
  });
}

} // namespace popscope::outfeed
