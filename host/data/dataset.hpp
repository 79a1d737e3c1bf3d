// Labelled images in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace popscope::host {

struct Dataset {
  std::size_t rows = 0; // of an image
  std::size_t columns = 0;
  float scale = 1.0f / 255.0f;      // times a pixel is what a model sees
  std::vector<std::uint8_t> pixels; // [size, rows, columns]
  std::vector<unsigned> labels;     // [size]

  std::size_t size() const { return labels.size(); }
  std::size_t imagePixels() const { return rows * columns; }
  const std::uint8_t *image(std::size_t i) const {
    return pixels.data() + i * imagePixels();
  }
  // Writes imagePixels() scaled values.
  void copyScaled(std::size_t image, float *values) const;
  // Asks the memory for an image that is copied soon.
  void prefetch(std::size_t image) const;
};

struct TrainingData {
  Dataset train;
  Dataset validation; // empty unless split off
  Dataset test;
  Dataset sample; // the first images of the file, if it was split at random
  unsigned classes = 0; // every label is less
};

// Reads the four IDX files of an MNIST-like set, plain or gzip, from a
// directory. Throws BadInput naming the file that is missing or damaged, or
// that does not fit the others.
TrainingData readIdxDirectory(const std::string &directory);

// The images from index `begin` up to, not including, `end`.
Dataset slice(const Dataset &from, std::size_t begin, std::size_t end);

// Moves the last images of the training set to the validation set; `share` of
// the training set, from 0 to 1.
void splitValidation(TrainingData &data, double share);

} // namespace popscope::host
