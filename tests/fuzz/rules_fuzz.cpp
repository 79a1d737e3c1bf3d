// The language of taps: a rule, a condition, a schedule, a fault to plant.
#include "outfeed/health/injection.hpp"
#include "outfeed/rules/condition.hpp"
#include "outfeed/rules/schedule_parser.hpp"
#include "outfeed/rules/tap_rule.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <cstdlib>
#include <stdexcept>

using namespace popscope;

namespace {

template <class Use> void unlessRefused(const Use &use) {
  try {
    use();
  } catch (const std::invalid_argument &) {
    return;
  }
  ++fuzz::accepted;
}

void use(const outfeed::TapRule &rule) {
  for (const char *name : {"conv_0_acts", "dense/kernel:0_grad", "loss"}) {
    outfeed::TensorTraits tensor;
    tensor.name = name;
    tensor.dtype = "float";
    tensor.numElements = 4096;
    rule.filter.matches(tensor);
  }
  for (const std::uint32_t update : {0u, 10u, ~0u}) {
    rule.schedule.isDue(outfeed::Update(update));
    rule.schedule.dueBefore(outfeed::Update(update));
  }
  // What is written is read again, and is then the same.
  const std::string schedule = rule.schedule.text();
  if (!(outfeed::parseSchedule(schedule) == rule.schedule))
    std::abort();
  if (rule.condition) {
    const std::string condition = rule.condition->text();
    if (outfeed::parseCondition(condition).text() != condition)
      std::abort();
  }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view text = fuzz::textOf(data, size);
  unlessRefused([&] { use(outfeed::parseTapRule(text)); });
  unlessRefused([&] { outfeed::parseCondition(text); });
  unlessRefused([&] { outfeed::parseSchedule(text); });
  unlessRefused([&] { outfeed::parseInjection(text); });
  return 0;
}
