#include "host/command.hpp"
#include "host/train/checkpoint.hpp"
#include "tests/support/temp_dir.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace popscope::host {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

Checkpoint sample(std::uint64_t batches) {
  return {"a plan\nof two lines\n",
          Batches(batches),
          {{1.0, 2.5}, {}},
          {{"dense/kernel:0", {1, 2, 3}}, {"empty", {}}},
          {{"dense_acts@microBatch", {0.5, -1.0}}}};
}

class CheckpointTest : public ::testing::Test {
protected:
  std::string errorOfReading() const {
    try {
      readCheckpoint(place);
    } catch (const BadInput &error) {
      return error.what();
    }
    return "no error";
  }
  std::string content() const {
    std::ifstream in(place / "state", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  const tests::TempDir dir;
  const fs::path place = dir.path() / "checkpoint";
};

TEST_F(CheckpointTest, ComesBackAsItWas) {
  writeCheckpoint(place, sample(7));
  const Checkpoint back = readCheckpoint(place);
  EXPECT_EQ(back.plan, sample(7).plan);
  EXPECT_EQ(back.done, Batches(7));
  EXPECT_EQ(back.metricStates, sample(7).metricStates);
  ASSERT_EQ(back.tensors.size(), 2u);
  EXPECT_EQ(back.tensors[0].name, "dense/kernel:0");
  EXPECT_EQ(back.tensors[0].bytes, (std::vector<std::uint8_t>{1, 2, 3}));
  ASSERT_EQ(back.table.size(), 1u);
  EXPECT_EQ(back.table[0].tensor, "dense_acts@microBatch");
  EXPECT_EQ(back.table[0].numbers, (std::vector<double>{0.5, -1.0}));
}

TEST_F(CheckpointTest, NewOneTakesThePlaceOfTheOld) {
  writeCheckpoint(place, sample(1));
  writeCheckpoint(place, sample(2));
  EXPECT_EQ(readCheckpoint(place).done, Batches(2));
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), {}), 1)
      << "nothing is left beside it";
}

TEST_F(CheckpointTest, KillBetweenTheRenamesLosesNothing) {
  writeCheckpoint(place, sample(1));
  fs::rename(place, dir.path() / "checkpoint.old");
  EXPECT_EQ(readCheckpoint(place).done, Batches(1));
  writeCheckpoint(place, sample(2));
  EXPECT_EQ(readCheckpoint(place).done, Batches(2));
}

TEST_F(CheckpointTest, HalfWrittenOneIsIgnored) {
  writeCheckpoint(place, sample(1));
  fs::create_directory(dir.path() / "checkpoint.new");
  dir.file("checkpoint.new/state", "half");
  EXPECT_EQ(readCheckpoint(place).done, Batches(1));
}

TEST_F(CheckpointTest, DamageAnywhereIsNoticed) {
  writeCheckpoint(place, sample(1));
  const std::string whole = content();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = char(flipped[i] ^ 1);
    dir.file("checkpoint/state", flipped);
    EXPECT_THAT(errorOfReading(), HasSubstr("damaged checkpoint")) << i;
    dir.file("checkpoint/state", whole.substr(0, i));
    EXPECT_THAT(errorOfReading(), HasSubstr("damaged checkpoint")) << i;
  }
}

TEST_F(CheckpointTest, NoneIsAnError) {
  EXPECT_THAT(errorOfReading(), HasSubstr("no checkpoint to resume"));
}

} // namespace
} // namespace popscope::host
