#include "outfeed/checks/kinds/dead_relu.hpp"

#include "text/number_text.hpp"

namespace popscope::outfeed {

namespace {

// Pooling and dropout only pass on what a ReLU made of its input. In a program
// that does not say, any activation may be one.
bool isRelu(const TensorTraits &tensor) {
  const graph::Computation computation = tensor.derivation.computation;
  return computation == graph::Computation::relu ||
         computation == graph::Computation::unknown;
}

} // namespace

std::vector<Violation> DeadRelu::look(const UpdateObservations &update) {
  std::vector<Violation> violations;
  for (const Observed &observed : update.all)
    if (const auto zeros = read(observed, Statistic::zeroShare))
      if (isRelu(observed.series->tensor) &&
          double(streaks_.add(*observed.series, *zeros >= zeroShare_)) >=
              samples_)
        violations.push_back({observed.series, *zeros});
  return violations;
}

std::string DeadRelu::describe(const Violation &violation) const {
  return text::significant(100 * violation.value, 4) + " % are zero, " +
         text::significant(100 * zeroShare_, 4) + " % or more for " +
         text::withThousands(samples_) + " samples";
}

} // namespace popscope::outfeed
