// The 8x8 digits of scikit-learn: one CSV row per image, 64 pixels from 0 to
// 16 and the label.
#pragma once

#include "host/data/dataset.hpp"

#include <cstdint>
#include <string>

namespace popscope::host {

// Reads digits.csv, plain or gzip, from a directory and splits it at random:
// three quarters for training, one for testing. Throws BadInput naming the file
// and the row.
TrainingData readDigitsDirectory(const std::string &directory,
                                 std::uint64_t splitSeed);

} // namespace popscope::host
