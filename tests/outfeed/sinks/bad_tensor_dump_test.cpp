#include "outfeed/sinks/bad_tensor_dump.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temp_dir.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>

namespace popscope::outfeed {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TensorTraits traitsOf(const std::string &name, std::size_t elements) {
  TensorTraits traits;
  traits.name = name;
  traits.dtype = "float";
  traits.shape = {elements};
  traits.numElements = elements;
  return traits;
}

class DumpOfY : public testing::Test {
protected:
  DumpOfY() {
    y_.derivation.inputs = {"y", "a/kernel:0", "b", "lost"};
    verdict_.tensor = y_;
    verdict_.origin.replica = 1;
  }
  void give(BadTensorDump &dump, const TensorTraits &bad, unsigned replica,
            float value) {
    const std::vector<float> elements(100, value);
    const auto *const bytes =
        reinterpret_cast<const std::byte *>(elements.data());
    dump.takeDump({bad, replica, {{bad, bytes}, {a_, bytes}, {b_, bytes}}});
  }
  std::string contentOf(const std::string &file) {
    std::ifstream in(directory_.path() / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t files() {
    return std::size_t(std::distance(
        std::filesystem::directory_iterator(directory_.path()), {}));
  }

  tests::TempDir directory_;
  TensorTraits y_ = traitsOf("y", 100);
  const TensorTraits a_ = traitsOf("a/kernel:0", 50), b_ = traitsOf("b", 25);
  Verdict verdict_;
};

TEST_F(DumpOfY, HasTheTensorOfTheVerdictAndItsInputs) {
  BadTensorDump dump(directory_.path());
  give(dump, traitsOf("z", 100), 1, 3);
  give(dump, y_, 0, 4);
  give(dump, y_, 1, 5);
  EXPECT_EQ(dump.line(), "");
  dump.takeVerdict(verdict_);
  EXPECT_EQ(files(), 3u);
  const std::string content = contentOf("a.kernel:0.npy");
  EXPECT_THAT(content, HasSubstr("{'descr': '<f4', 'fortran_order': False, "
                                 "'shape': (50,), }"));
  float last;
  std::memcpy(&last, content.data() + content.size() - sizeof last,
              sizeof last);
  EXPECT_EQ(last, 5);
  EXPECT_EQ(dump.line(), "dumped to " + directory_.path().string() +
                             ": y.npy, a.kernel:0.npy, b.npy (700 bytes); no "
                             "longer there: y, lost");
}

TEST_F(DumpOfY, IsTheOwnersAlone) {
  namespace fs = std::filesystem;
  BadTensorDump dump(directory_.path());
  give(dump, y_, 1, 5);
  dump.takeVerdict(verdict_);
  for (const auto &entry : fs::directory_iterator(directory_.path()))
    EXPECT_EQ(entry.status().permissions(), fs::perms(0600)) << entry.path();
}

TEST_F(DumpOfY, IsWrittenOnce) {
  BadTensorDump dump(directory_.path());
  give(dump, y_, 1, 5);
  dump.takeVerdict(verdict_);
  const std::string before = contentOf("y.npy");
  give(dump, y_, 1, 6);
  EXPECT_EQ(contentOf("y.npy"), before);
  EXPECT_EQ(files(), 3u);
}

TEST_F(DumpOfY, KeepsToTheBudgetOfBytes) {
  BadTensorDump dump(directory_.path(), {500, 16});
  give(dump, y_, 1, 5);
  dump.takeVerdict(verdict_);
  EXPECT_THAT(dump.line(),
              HasSubstr(": y.npy, b.npy (500 bytes); no longer there: y, lost; "
                        "beyond the budget: a/kernel:0"));
  EXPECT_EQ(files(), 2u);
}

TEST_F(DumpOfY, KeepsToTheBudgetOfFiles) {
  BadTensorDump dump(directory_.path(), {1000, 1});
  give(dump, y_, 1, 5);
  dump.takeVerdict(verdict_);
  EXPECT_THAT(dump.line(), EndsWith("beyond the budget: a/kernel:0, b"));
  EXPECT_EQ(files(), 1u);
}

TEST_F(DumpOfY, SaysIfTheDeviceSentNothing) {
  BadTensorDump dump(directory_.path());
  dump.takeVerdict(verdict_);
  EXPECT_THAT(dump.line(), HasSubstr("nothing was dumped; no longer there: y"));
}

TEST_F(DumpOfY, ReportsFilesThatCannotBeWritten) {
  std::ofstream(directory_.path() / "file") << "no directory";
  unsigned told = 0;
  BadTensorDump dump(directory_.path() / "file", {},
                     [&](const summary::WriteReport &) { ++told; });
  give(dump, y_, 1, 5);
  dump.takeVerdict(verdict_);
  EXPECT_EQ(told, 1u);
  EXPECT_FALSE(dump.reports().at(0).isWhole());
  EXPECT_THAT(dump.line(), HasSubstr("not written: y.npy"));
}

TEST_F(DumpOfY, IsTriedAgainUntilTheDiskHasRoom) {
  popscope::tests::FakeClock clock(100);
  BadTensorDump dump(directory_.path(), {}, {}, clock);
  give(dump, y_, 1, 5);
  {
    const popscope::tests::FileSizeLimit limit(400);
    dump.takeVerdict(verdict_);
    EXPECT_EQ(dump.reports()[0].error, "disk full");
    EXPECT_EQ(dump.reports()[0].lostRecords, 2u);
    EXPECT_THAT(dump.line(), EndsWith("; not written: y.npy, a.kernel:0.npy"));
    EXPECT_EQ(files(), 1u) << "no half ones";
  }
  dump.flush();
  EXPECT_EQ(files(), 1u) << "not all the time";
  clock.advance(1);
  dump.flush();
  EXPECT_EQ(contentOf("y.npy").size(), 256 + 100 * sizeof(float));
  EXPECT_EQ(files(), 3u);
  EXPECT_EQ(dump.reports()[0].error, "disk full; writing went on later");
  EXPECT_EQ(dump.reports()[0].lostRecords, 0u);
  EXPECT_THAT(dump.line(),
              HasSubstr("b.npy, y.npy, a.kernel:0.npy (700 bytes)"));
}

} // namespace
} // namespace popscope::outfeed
