// The rings in which the last rows of tensors are kept on the device. Shared by
// device and host.
#pragma once

#include "codelets/stats_row.hpp"

namespace popscope {

constexpr StatsTier kRecordedTier = StatsTier::stats;
constexpr unsigned kRecordedWords = rowWords(kRecordedTier);

// A slot of a ring is the number of the execution plus 1, or 0 if it is empty,
// and a row per tensor.
constexpr unsigned slotWords(unsigned tensors) {
  return 1 + tensors * kRecordedWords;
}

// In place of the update after which nothing more is recorded.
constexpr unsigned kRecordsOn = 0xffffffffu;

} // namespace popscope
