#include "host/command.hpp"
#include "host/train/state/checkpoint.hpp"
#include "summary/records/crc32c.hpp"
#include "tests/support/killed_child.hpp"
#include "tests/support/memory_limit.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <stdexcept>
#include <string>
#include <sys/syscall.h>

namespace popscope::host {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

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

// Whatever the second kill hits, too: the first may have left anything behind.
TEST_F(CheckpointTest, TwoKillsAnywhereLeaveTheOldOrTheNewOne) {
  const fs::path run = dir.path() / "run", here = run / "checkpoint";
  const auto write = [&](std::uint64_t batches) {
    return [here, batches] { writeCheckpoint(here, sample(batches)); };
  };
  const auto copy = [](const fs::path &from, const fs::path &to) {
    fs::remove_all(to);
    fs::copy(from, to, fs::copy_options::recursive);
  };
  const fs::path before = dir.path() / "before", between = dir.path() / "twice";
  writeCheckpoint(here, sample(1));
  writeCheckpoint(here, sample(2)); // from here on there is a previous one
  copy(run, before);
  for (std::size_t first = 0;; ++first) {
    copy(before, run);
    const bool finished = tests::runAndKill(write(3), first).finished;
    const Batches found = readCheckpoint(here).done;
    EXPECT_TRUE(found == Batches(2) || found == Batches(3)) << first;
    if (finished) {
      EXPECT_EQ(found, Batches(3));
      EXPECT_GT(first, 5u) << "system calls were counted";
      break;
    }
    copy(run, between);
    for (std::size_t second = 0;; ++second) {
      copy(between, run);
      const bool ended = tests::runAndKill(write(4), second).finished;
      const Batches last = readCheckpoint(here).done;
      EXPECT_TRUE(last == found || last == Batches(4)) << first << second;
      if (ended)
        break;
    }
  }
}

TEST_F(CheckpointTest, SurvivesALossOfPower) {
  writeCheckpoint(place, sample(1));
  const auto calls =
      tests::runAndKill([&] { writeCheckpoint(place, sample(2)); }, 10000)
          .calls;
  const auto isRename = [](std::uint64_t call) {
#ifdef SYS_rename
    if (call == SYS_rename)
      return true;
#endif
    return call == SYS_renameat || call == SYS_renameat2;
  };
  const auto rename = std::find_if(calls.begin(), calls.end(), isRename);
  ASSERT_NE(rename, calls.end());
  EXPECT_EQ(std::count(calls.begin(), rename, SYS_fsync), 1) << "the file";
  EXPECT_EQ(std::count(rename, calls.end(), SYS_fsync), 1) << "its directory";
}

TEST_F(CheckpointTest, OfAnOlderVersionKilledBetweenItsRenamesIsFound) {
  writeCheckpoint(place, sample(1));
  fs::rename(place, dir.path() / "checkpoint.old");
  EXPECT_EQ(readCheckpoint(place).done, Batches(1));
  writeCheckpoint(place, sample(2));
  EXPECT_EQ(readCheckpoint(place).done, Batches(2));
  EXPECT_FALSE(fs::exists(dir.path() / "checkpoint.old"));
}

TEST_F(CheckpointTest, HalfWrittenOneIsIgnored) {
  writeCheckpoint(place, sample(1));
  dir.file("checkpoint/state.new", "half");
  EXPECT_EQ(readCheckpoint(place).done, Batches(1));
}

TEST_F(CheckpointTest, DamagedOneOffersThePreviousIfThatIsWhole) {
  writeCheckpoint(place, sample(1));
  dir.file("checkpoint/state", "damaged");
  EXPECT_THAT(errorOfReading(), Not(HasSubstr("the one before")));
  writeCheckpoint(place, sample(2));
  EXPECT_EQ(readCheckpoint(place).done, Batches(2));
  writeCheckpoint(place, sample(3));
  dir.file("checkpoint/state", "damaged");
  const std::string error = errorOfReading();
  const std::size_t command = error.find("mv ");
  ASSERT_NE(command, std::string::npos) << error;
  const std::string way =
      error.substr(command, error.find(" goes back") - command);
  ASSERT_EQ(std::system(way.c_str()), 0) << way;
  EXPECT_EQ(readCheckpoint(place).done, Batches(2));
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

TEST_F(CheckpointTest, AHoleTakesNoMemoryBeforeItsChecksumIsKnownToBeWrong) {
  writeCheckpoint(place, sample(1));
  fs::resize_file(place / "state", 1 << 28);
  const tests::MemoryLimit limit(1 << 26);
  EXPECT_THAT(errorOfReading(), HasSubstr("its checksum is wrong"));
}

TEST(CheckpointBytes, CountsTakeNoMoreMemoryThanTheirEntriesHaveBytes) {
  Checkpoint empty;
  const std::string head = bytesOf(empty).substr(0, 22 + 2 * 8);
  for (const std::size_t list : {0, 1, 2}) { // metrics, tensors, table
    std::string bytes = head + std::string(list * 8, '\0');
    const std::uint64_t count = 1 << 24;
    bytes.append(reinterpret_cast<const char *>(&count), sizeof count);
    bytes.append(count + 8, '\0'); // a byte for each, and the checksum
    const std::uint64_t checksum =
        summary::crc32c({bytes.data(), bytes.size() - 8});
    bytes.replace(bytes.size() - 8, 8,
                  reinterpret_cast<const char *>(&checksum), 8);
    const tests::MemoryLimit limit(1 << 26);
    EXPECT_THROW((void)checkpointOf(bytes), std::out_of_range) << list;
  }
}

TEST_F(CheckpointTest, NoneIsAnError) {
  EXPECT_THAT(errorOfReading(), HasSubstr("no checkpoint to resume"));
}

} // namespace
} // namespace popscope::host
