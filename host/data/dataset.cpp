#include "host/data/dataset.hpp"

#include "host/command.hpp"
#include "host/data/gzip_file.hpp"
#include "host/data/idx.hpp"
#include "host/data/scaled_pixels.hpp"

#include <algorithm>

namespace popscope::host {

namespace {

Dataset readSplit(const std::string &prefix) {
  const std::string imageFile = findMaybeGzip(prefix + "-images-idx3-ubyte");
  const std::string labelFile = findMaybeGzip(prefix + "-labels-idx1-ubyte");
  IdxArray images = readIdx(imageFile, 3);
  const IdxArray labels = readIdx(labelFile, 1);
  if (images.dims[0] != labels.dims[0])
    throw BadInput(labelFile + ": " + std::to_string(labels.dims[0]) +
                   " labels for " + std::to_string(images.dims[0]) + " images");
  if (images.values.empty())
    throw BadInput(imageFile + ": has no images");

  Dataset set;
  set.rows = images.dims[1];
  set.columns = images.dims[2];
  set.pixels = std::move(images.values);
  set.labels.assign(labels.values.begin(), labels.values.end());
  return set;
}

} // namespace

void Dataset::copyScaled(std::size_t i, float *values) const {
  scalePixels(image(i), imagePixels(), scale, values);
}

void Dataset::prefetch(std::size_t i) const {
  constexpr std::size_t kCacheLine = 64;
  for (std::size_t at = 0; at < imagePixels(); at += kCacheLine)
    __builtin_prefetch(image(i) + at);
}

TrainingData readIdxDirectory(const std::string &directory) {
  TrainingData data;
  data.train = readSplit(directory + "/train");
  data.test = readSplit(directory + "/t10k");
  if (data.test.rows != data.train.rows ||
      data.test.columns != data.train.columns)
    throw BadInput(directory +
                   ": test images differ in size from training images");

  const auto &labels = data.train.labels;
  data.classes = *std::max_element(labels.begin(), labels.end()) + 1;
  for (const unsigned label : data.test.labels)
    if (label >= data.classes)
      throw BadInput(directory + ": test label " + std::to_string(label) +
                     " is above the largest of the training set, " +
                     std::to_string(data.classes - 1));
  return data;
}

Dataset slice(const Dataset &from, std::size_t begin, std::size_t end) {
  Dataset part;
  part.rows = from.rows;
  part.columns = from.columns;
  part.scale = from.scale;
  part.pixels.assign(from.image(begin), from.image(end));
  part.labels.assign(from.labels.begin() + std::ptrdiff_t(begin),
                     from.labels.begin() + std::ptrdiff_t(end));
  return part;
}

void splitValidation(TrainingData &data, double share) {
  const std::size_t size = data.train.size();
  const auto kept = std::size_t(double(size) * (1.0 - share));
  data.validation = slice(data.train, kept, size);
  data.train = slice(data.train, 0, kept);
}

} // namespace popscope::host
