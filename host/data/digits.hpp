// The 8x8 digits of scikit-learn: one CSV row per image, 64 pixels from 0 to
// 16 and the label.
#pragma once

#include "host/data/dataset.hpp"

#include <cstdint>
#include <string>

namespace popscope::host {

// Reads digits.csv, plain or gzip, from a directory. A quarter is for testing,
// the rest for training; both have the images and the order of scikit-learn's
// train_test_split(random_state=splitSeed). The sample is the first hundred
// rows of the file. Throws BadInput naming the file and the row.
TrainingData readDigitsDirectory(const std::string &directory,
                                 std::uint32_t splitSeed);

} // namespace popscope::host
