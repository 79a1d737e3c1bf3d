#include "host/command.hpp"
#include "host/data/dataset.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace popscope::host {
namespace {

using ::testing::HasSubstr;

std::string idx(std::initializer_list<unsigned> dims,
                const std::string &values) {
  std::string bytes{'\0', '\0', '\x08', char(dims.size())};
  for (const unsigned dim : dims)
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes.push_back(char(dim >> shift));
  return bytes + values;
}

// Two training images and one test image of 1x2 pixels.
void writeSmallSet(const tests::TempDir &dir) {
  dir.file("train-images-idx3-ubyte.gz", idx({2, 1, 2}, "abcd"));
  dir.file("train-labels-idx1-ubyte.gz", idx({2}, "\x01\x02"));
  dir.file("t10k-images-idx3-ubyte.gz", idx({1, 1, 2}, "ef"));
  dir.file("t10k-labels-idx1-ubyte.gz", idx({1}, "\x02"));
}

std::string errorOf(const tests::TempDir &dir) {
  try {
    readIdxDirectory(dir.path().string());
  } catch (const BadInput &error) {
    return error.what();
  }
  return "no error";
}

void expectBundled(const std::string &name, std::size_t train,
                   std::size_t test) {
  const TrainingData data = readIdxDirectory(POPSCOPE_DATA "/" + name);
  EXPECT_EQ(data.train.size(), train) << name;
  EXPECT_EQ(data.test.size(), test) << name;
  EXPECT_EQ(data.train.imagePixels(), 28u * 28u) << name;
  EXPECT_EQ(data.classes, 10u) << name;
  for (unsigned label = 0; label < data.classes; ++label)
    EXPECT_GT(
        std::count(data.test.labels.begin(), data.test.labels.end(), label), 0)
        << name << label;
}

TEST(Dataset, BundledSetsAreWhole) {
  expectBundled("mnist", 10000, 2000);
  expectBundled("fashion-mnist", 5000, 1000);
}

TEST(Dataset, FilesMayHaveNoGzEnding) {
  const tests::TempDir dir;
  writeSmallSet(dir);
  for (const char *name : {"train-images-idx3-ubyte", "t10k-labels-idx1-ubyte"})
    std::filesystem::rename(dir.path() / (std::string(name) + ".gz"),
                            dir.path() / name);
  EXPECT_EQ(readIdxDirectory(dir.path().string()).train.size(), 2u);
}

TEST(Dataset, ValidationIsTheEndOfTheTrainingSet) {
  TrainingData data;
  data.train.rows = data.train.columns = 1;
  data.train.pixels = {10, 11, 12, 13, 14};
  data.train.labels = {0, 1, 2, 3, 4};
  splitValidation(data, 0.2);
  EXPECT_EQ(data.train.labels, (std::vector<unsigned>{0, 1, 2, 3}));
  EXPECT_EQ(data.validation.labels, (std::vector<unsigned>{4}));
  EXPECT_EQ(data.validation.image(0)[0], 14);
  EXPECT_EQ(data.validation.rows, 1u);
}

TEST(Dataset, ScaledPixelsRunFromZeroToOne) {
  Dataset set;
  set.rows = 1;
  set.columns = 2;
  set.pixels = {0, 255};
  set.labels = {0};
  float values[2];
  set.copyScaled(0, values);
  EXPECT_EQ(values[0], 0.0f);
  EXPECT_FLOAT_EQ(values[1], 1.0f);
}

// Loops over vectors, and what they leave over, must not differ.
TEST(Dataset, APixelHasTheSameValueWhereverItIs) {
  Dataset set;
  set.rows = 1;
  set.columns = 77;
  set.scale = 1.0f / 3.0f;
  for (int i = 0; i < 256 * 77; ++i)
    set.pixels.push_back(std::uint8_t(i));
  set.labels.assign(256, 0);
  for (std::size_t image = 0; image < set.size(); ++image) {
    std::vector<float> values(77);
    set.prefetch(image);
    set.copyScaled(image, values.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float value = float(set.image(image)[i]);
      ASSERT_EQ(values[i], value * set.scale) << image << ' ' << i;
    }
  }
}

TEST(Dataset, ImagesAndLabelsStayTogether) {
  const tests::TempDir dir;
  writeSmallSet(dir);
  const TrainingData data = readIdxDirectory(dir.path().string());
  EXPECT_EQ(data.classes, 3u);
  EXPECT_EQ(data.train.image(1)[0], 'c');
  EXPECT_EQ(data.train.labels[1], 2u);
  EXPECT_EQ(data.test.image(0)[1], 'f');
}

TEST(Dataset, MoreImagesThanLabelsIsRefused) {
  const tests::TempDir dir;
  writeSmallSet(dir);
  dir.file("train-labels-idx1-ubyte.gz", idx({1}, "\x01"));
  EXPECT_THAT(errorOf(dir), HasSubstr("1 labels for 2 images"));
}

TEST(Dataset, TestImagesOfAnotherSizeAreRefused) {
  const tests::TempDir dir;
  writeSmallSet(dir);
  dir.file("t10k-images-idx3-ubyte.gz", idx({1, 2, 1}, "ef"));
  EXPECT_THAT(errorOf(dir), HasSubstr("differ in size"));
}

TEST(Dataset, TestLabelUnknownToTrainingIsRefused) {
  const tests::TempDir dir;
  writeSmallSet(dir);
  dir.file("t10k-labels-idx1-ubyte.gz", idx({1}, "\x03"));
  EXPECT_THAT(errorOf(dir), HasSubstr("test label 3"));
}

TEST(Dataset, EmptySetIsRefused) {
  const tests::TempDir dir;
  writeSmallSet(dir);
  dir.file("train-images-idx3-ubyte.gz", idx({0, 1, 2}, ""));
  dir.file("train-labels-idx1-ubyte.gz", idx({0}, ""));
  EXPECT_THAT(errorOf(dir), HasSubstr("has no images"));
}

} // namespace
} // namespace popscope::host
