#include "outfeed/health/cause.hpp"

#include <algorithm>
#include <limits>

namespace popscope::outfeed {

namespace {

using graph::Computation;

constexpr double kLargestHalf = 65504.0;

double largestOf(const TensorTraits &tensor) {
  return tensor.dtype == "half" ? kLargestHalf
                                : double(std::numeric_limits<float>::max());
}

Cause overflowOf(const TensorTraits &tensor, const TensorHealth &health) {
  std::string text = tensor.dtype == "half" ? "overflow of half (65504)"
                                            : "overflow of float (3.4e38)";
  if (health.nan != 0)
    text += ", then inf - inf";
  return {CauseKind::overflow, std::move(text)};
}

// The largest magnitude of input `i`; 0 if it is not known.
double largest(const std::vector<KnownInput> &inputs, std::size_t i) {
  return i < inputs.size() && inputs[i].health ? inputs[i].health->absMax : 0.0;
}

// A bound on the magnitude of the elements, from that of the inputs; 0 if it is
// not known.
double bound(const TensorTraits &tensor,
             const std::vector<KnownInput> &inputs) {
  const auto terms = double(tensor.derivation.terms);
  double sum = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    sum += largest(inputs, i);
  switch (tensor.derivation.computation) {
  case Computation::product: // and a bias
    return terms * largest(inputs, 0) * largest(inputs, 1) + largest(inputs, 2);
  case Computation::sum:
    return terms * sum;
  case Computation::optimizer: { // the square of the gradient
    double most = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      most = std::max(most, largest(inputs, i));
    return std::max(sum, most * most);
  }
  default:
    return 0;
  }
}

Cause ofBadInput(const TensorTraits &tensor, const TensorHealth &health,
                 const KnownInput &input) {
  if (input.fromBefore)
    return {CauseKind::inCheckpoint, "already in the checkpoint"};
  if (health.nan != 0 && input.health->nan == 0)
    switch (tensor.derivation.computation) {
    case Computation::product:
      return {CauseKind::infTimesZero, "inf * 0, or inf - inf in its sum"};
    case Computation::sum:
    case Computation::softmax:
      return {CauseKind::infMinusInf, "inf - inf"};
    default:
      break;
    }
  return {CauseKind::passedOn, "passed on"};
}

Cause ofFiniteInputs(const TensorTraits &tensor, const TensorHealth &health,
                     const std::vector<KnownInput> &inputs) {
  switch (tensor.derivation.computation) {
  case Computation::host:
    return {CauseKind::inData, "already in the data"};
  case Computation::quotient:
    if (health.nan != 0)
      return {CauseKind::zeroByZero, "0 / 0"};
    return {CauseKind::divisionByZero, "division by zero"};
  case Computation::logarithm:
    if (health.nan != 0)
      return {CauseKind::logOfNegative, "logarithm of a negative number"};
    return {CauseKind::logOfZero, "logarithm of 0"};
  case Computation::crossEntropy:
    if (health.inf() != 0)
      return {CauseKind::logOfZero,
              "logarithm of 0: the probability of a label was 0"};
    break;
  case Computation::exponential:
    return overflowOf(tensor, health);
  default:
    if (bound(tensor, inputs) > largestOf(tensor))
      return overflowOf(tensor, health);
    break;
  }
  return {CauseKind::unknown, "cannot tell why"};
}

} // namespace

Cause causeOf(const TensorTraits &tensor, const TensorHealth &health,
              const std::vector<KnownInput> &inputs) {
  const auto bad =
      std::find_if(inputs.begin(), inputs.end(), [](const KnownInput &input) {
        return input.health && input.health->bad() != 0;
      });
  return bad == inputs.end() ? ofFiniteInputs(tensor, health, inputs)
                             : ofBadInput(tensor, health, *bad);
}

} // namespace popscope::outfeed
