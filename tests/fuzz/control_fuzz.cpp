// A line from the control socket, at either end, and what it does to a program.
#include "outfeed/control/control_message.hpp"
#include "outfeed/control/tap_control.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <cstdlib>
#include <optional>
#include <stdexcept>

using namespace popscope;
using namespace popscope::outfeed;

namespace {

TapPlan programOfThreeTensors() {
  TapPlan plan({parseTapRule("* @ every 10"),
                parseTapRule("a_acts when abs_max>1e4 -> stats"),
                parseTapRule("b_acts @ never -> full")},
               TapPlan::Alarms::everywhere, TapPlan::Control::live);
  for (const char *name : {"a_acts", "b_acts", "c/kernel:0_grad"}) {
    TensorTraits tensor;
    tensor.name = name;
    tensor.dtype = "float";
    tensor.numElements = 10;
    const Tap *const tap = plan.add(tensor);
    plan.addStandbys(tensor);
    plan.addAlarm(tensor, tap);
  }
  return plan;
}

template <class Message, class Parse>
std::optional<Message> messageOf(std::string_view text, const Parse &parse) {
  Message message;
  try {
    message = parse(text);
  } catch (const std::invalid_argument &) {
    return std::nullopt;
  }
  // What is written is read again, and is then the same.
  const std::string written = toJson(message);
  if (toJson(parse(written)) != written)
    std::abort();
  ++fuzz::accepted;
  return message;
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view text = fuzz::textOf(data, size);
  messageOf<ControlReply>(text, parseControlReply);
  const auto request = messageOf<ControlRequest>(text, parseControlRequest);
  if (!request)
    return 0;
  static const TapPlan plan = programOfThreeTensors();
  TapControl control(plan);
  control.beginUpdate();
  try {
    control.apply(*request);
  } catch (const std::invalid_argument &) {
    return 0;
  }
  control.beginUpdate();
  control.status();
  return 0;
}
