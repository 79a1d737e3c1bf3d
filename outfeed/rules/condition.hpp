// What has to be true of a tensor so that a rule's tap sends it.
#pragma once

#include "codelets/condition.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace popscope::outfeed {

struct Condition {
  std::vector<ConditionTerm> terms;
  std::vector<float> limits; // per term: a number, or a multiple of the mean

  // Of the rows that it can be read from.
  StatsTier tier() const;
  // As parseCondition reads it.
  std::string text() const;
};

// Terms STATISTIC COMPARISON LIMIT, as in l2_norm>10*mean, or unchanged, joined
// by `and` and `or`, of which `and` binds more. A limit is a number, or one
// times the tensor's running mean of the statistic. Throws RuleError.
Condition parseCondition(std::string_view text);

// "abs_max 1.2e4 > 1e4"; the evidence is of this condition, which held.
std::string describe(const Condition &condition, const Evidence &evidence);

} // namespace popscope::outfeed
