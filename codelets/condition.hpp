// What has to be true of a tensor's row so that its tap sends: terms such as
// abs_max>1e4, joined by "and" first and by "or" then. Shared by device and
// host.
#pragma once

#include "codelets/statistic.hpp"

namespace popscope {

enum class Comparison : unsigned {
  greater,
  greaterOrEqual,
  less,
  lessOrEqual,
  equal,
  notEqual,
  unchanged // the elements are those of the row before; has no statistic
};

struct ConditionTerm {
  Statistic statistic;
  Comparison comparison;
  bool timesMean; // the limit is a multiple of the statistic's running mean
  bool isFirst;   // of those that have to be true together
};

constexpr unsigned wordOf(const ConditionTerm &term) {
  return unsigned(term.statistic) | unsigned(term.comparison) << 8 |
         unsigned(term.timesMean) << 16 | unsigned(term.isFirst) << 17;
}

inline ConditionTerm termOf(unsigned word) {
  return {Statistic(word & 0xff), Comparison(word >> 8 & 0xff),
          (word >> 16 & 1) != 0, (word >> 17 & 1) != 0};
}

// The lowest tier whose rows the term can be read from.
constexpr StatsTier tierOf(const ConditionTerm &term) {
  return term.comparison == Comparison::unchanged ? StatsTier::identity
                                                  : tierOf(term.statistic);
}

// What a term remembers of the rows before.
struct TermMemory {
  unsigned rows; // in which the statistic was known and finite
  float mean;
  unsigned hash[2];
};

constexpr unsigned kTermMemoryWords = sizeof(TermMemory) / sizeof(unsigned);

// A running mean says nothing before it is of so many rows. It is the mean of
// all of them up to kMeanRows; after that each new row has the weight
// 1 / kMeanRows.
constexpr unsigned kFewestMeanRows = 8;
constexpr unsigned kMeanRows = 64;

// Which term was true, and by what.
struct Evidence {
  unsigned term; // of its condition, from 0, or kNoTerm if it did not hold
  float value;   // of the term's statistic
  float limit;   // that it was compared with
};

constexpr unsigned kNoTerm = 0xffffffffu;
constexpr unsigned kEvidenceWords = sizeof(Evidence) / sizeof(unsigned);

inline bool compares(float value, Comparison comparison, float limit) {
  switch (comparison) {
  case Comparison::greater:
    return value > limit;
  case Comparison::greaterOrEqual:
    return value >= limit;
  case Comparison::less:
    return value < limit;
  case Comparison::lessOrEqual:
    return value <= limit;
  case Comparison::equal:
    return value == limit;
  default: // NaN is no value, and differs from nothing
    return value < limit || value > limit;
  }
}

// Whether the term is true of the row of a tensor of `count` elements. It
// remembers the row afterwards, so each row is asked about once.
inline bool isTrue(const ConditionTerm &term, float limit, const StatsRow &row,
                   unsigned count, TermMemory &memory, Evidence &evidence) {
  if (term.comparison == Comparison::unchanged) {
    const bool same = memory.rows != 0 && memory.hash[0] == row.hash[0] &&
                      memory.hash[1] == row.hash[1];
    memory.rows = 1;
    memory.hash[0] = row.hash[0];
    memory.hash[1] = row.hash[1];
    return same;
  }
  evidence.value = valueOf(term.statistic, row, count);
  evidence.limit = limit;
  if (!term.timesMean)
    return compares(evidence.value, term.comparison, limit);
  evidence.limit = limit * memory.mean;
  const bool holds = memory.rows >= kFewestMeanRows &&
                     compares(evidence.value, term.comparison, evidence.limit);
  if (__builtin_isfinite(evidence.value)) {
    memory.rows += memory.rows < kMeanRows;
    memory.mean += (evidence.value - memory.mean) / float(memory.rows);
  }
  return holds;
}

} // namespace popscope
