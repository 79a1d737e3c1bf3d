#include "outfeed/compare/run_difference.hpp"
#include "outfeed/sinks/sample_log.hpp"
#include "summary/records/file_source.hpp"
#include "summary/records/record_writer.hpp"
#include "tests/outfeed/compare/summarised.hpp"
#include "tests/support/string_sink.hpp"
#include "tests/support/string_source.hpp"
#include "tests/support/temp_dir.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace popscope::outfeed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kElements = 60;

// A run of tensors t0, t1, ..., in this order of the program, whose elements
// depend on tensor and update alone.
struct TestRun {
  std::size_t tensors = 5;
  std::uint32_t updates = 6;
  std::uint32_t firstUpdate = 0;
  std::uint32_t every = 1;
  Payload payload = Payload::identity;
  std::vector<std::size_t> shape{kElements};
  // By tensor and update: the first element is multiplied by this.
  std::map<std::pair<std::size_t, std::uint32_t>, float> changes{};
  std::vector<std::size_t> left{}; // tensors that are not tapped
};

class RunDifferenceTest : public ::testing::Test {
protected:
  std::filesystem::path write(const std::string &name, const TestRun &run) {
    const std::filesystem::path file = directory.path() / name;
    SampleLog log(file);
    std::deque<Tap> taps;
    for (std::size_t t = 0; t < run.tensors; ++t) {
      Tap tap;
      tap.id = TapId(t);
      tap.tensor.name = "t" + std::to_string(t);
      tap.tensor.dtype = "float";
      tap.tensor.shape = run.shape;
      tap.tensor.moment =
          t < 3 ? graph::TapMoment::microBatch : graph::TapMoment::applied;
      taps.push_back(tap);
    }
    for (std::uint32_t u = 0; u < run.updates; u += run.every)
      // Samples arrive in any order.
      for (std::size_t i = run.tensors; i-- > 0;) {
        if (std::count(run.left.begin(), run.left.end(), i) != 0)
          continue;
        const std::uint32_t update = run.firstUpdate + u;
        std::vector<float> values;
        for (std::size_t e = 0; e < kElements; ++e)
          values.push_back(std::sin(float(e + 7 * i + 31 * update)) + 2.0f);
        const auto change = run.changes.find({i, update});
        if (change != run.changes.end())
          values[0] *= change->second;
        log.take(taps[i], Update(update),
                 tests::reducedTo(run.payload, tests::sampleOf(values)));
      }
    log.close({});
    EXPECT_TRUE(log.reports().front().isWhole());
    return file;
  }
  static RunDifference diff(const std::filesystem::path &a,
                            const std::filesystem::path &b,
                            double tolerance = 0) {
    summary::FileSource bytesA(a), bytesB(b);
    SampleLogReader readerA(bytesA), readerB(bytesB);
    return compareRuns(readerA, readerB, tolerance);
  }

  popscope::tests::TempDir directory;
};

TEST_F(RunDifferenceTest, EqualRunsAreProvenEqual) {
  const RunDifference found = diff(write("a", {}), write("b", {}));
  EXPECT_TRUE(found.isProvenSame());
  EXPECT_FALSE(found.first);
  EXPECT_EQ(found.comparisons(), 5u * 6);
  EXPECT_EQ(found.commonUpdates, 6u);
  EXPECT_THAT(found.a.flaw, IsEmpty());
}

TEST_F(RunDifferenceTest, APlantedChangeIsNamedFirst) {
  TestRun changed;
  changed.changes = {{{2, 3}, 1.0001f},
                     {{4, 3}, 1.5f}, // later in the program
                     {{0, 4}, 2.0f}};
  const RunDifference found = diff(write("a", {}), write("b", changed));
  ASSERT_TRUE(found.first);
  const TensorDifference &first = found.tensors[*found.first];
  EXPECT_EQ(first.a.tag, "t2");
  EXPECT_EQ(first.first->update.value(), 3u);
  EXPECT_GT(first.first->difference.relativeL2, 1e-6);
  EXPECT_LT(first.first->difference.relativeL2, 1e-4);
  EXPECT_EQ(first.differing, 1u);
  EXPECT_EQ(found.differing(), 3u);
  EXPECT_THAT(first.cells, ElementsAre(0, 0, 0, testing::Gt(0), 0, 0));
}

TEST_F(RunDifferenceTest, TheToleranceDecidesWhatCounts) {
  TestRun changed;
  changed.changes = {{{1, 2}, 1.0001f}, {{3, 4}, 3.0f}};
  const auto a = write("a", {}), b = write("b", changed);
  const RunDifference found = diff(a, b, 1e-3);
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.tensors[*found.first].a.tag, "t3");
  EXPECT_TRUE(found.tensors[1].largest);
  EXPECT_FALSE(found.tensors[1].first);
  EXPECT_FALSE(diff(a, b, 10).first);
  EXPECT_FALSE(diff(a, b, 10).isProvenSame());
}

TEST_F(RunDifferenceTest, UpdatesThatOneLogLacksAreCounted) {
  TestRun late;
  late.firstUpdate = 2;
  TestRun seldom;
  seldom.every = 2;
  const auto a = write("a", {});
  RunDifference found = diff(a, write("late", late));
  EXPECT_TRUE(found.isProvenSame());
  EXPECT_EQ(found.commonUpdates, 4u);
  EXPECT_EQ(found.a.onlyHere, 2u);
  EXPECT_EQ(found.a.firstOnlyHere->value(), 0u);
  EXPECT_EQ(found.a.lastOnlyHere->value(), 1u);
  EXPECT_EQ(found.b.onlyHere, 2u);
  found = diff(a, write("seldom", seldom));
  EXPECT_EQ(found.commonUpdates, 3u);
  EXPECT_EQ(found.tensors[0].onlyInA, 3u);
  EXPECT_THAT(found.tensors[0].cells,
              ElementsAre(0, kNotCompared, 0, kNotCompared, 0));
}

TEST_F(RunDifferenceTest, TensorsThatOneLogLacksAreNamed) {
  TestRun few, other;
  few.left = {1, 3};
  other.left = {0};
  const RunDifference found = diff(write("a", few), write("b", other));
  EXPECT_TRUE(found.isProvenSame());
  EXPECT_THAT(found.a.tensorsOnlyHere, ElementsAre("t0"));
  EXPECT_THAT(found.b.tensorsOnlyHere, ElementsAre("t1", "t3"));
  EXPECT_EQ(found.tensors.size(), 2u);
}

TEST_F(RunDifferenceTest, TensorsOfAnotherShapeAreNotCompared) {
  TestRun other;
  other.shape = {2, kElements / 2};
  const RunDifference found = diff(write("a", {}), write("b", other));
  EXPECT_EQ(found.comparisons(), 0u);
  ASSERT_EQ(found.notComparable.size(), 5u);
  EXPECT_EQ(found.notComparable[0],
            "t0: its shape is [60] in A and [2,30] in B");
}

TEST_F(RunDifferenceTest, StatisticsFindTheChangeButProveNothing) {
  TestRun plain, changed;
  plain.payload = changed.payload = Payload::stats;
  changed.changes = {{{3, 4}, 1.01f}};
  const auto a = write("a", plain);
  const RunDifference found = diff(a, write("b", changed));
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.tensors[*found.first].a.tag, "t3");
  const RunDifference same = diff(a, write("c", plain));
  EXPECT_FALSE(same.first);
  EXPECT_FALSE(same.isProvenSame());
  EXPECT_EQ(same.tensors[0].byStatistics, 6u);
}

TEST_F(RunDifferenceTest, ATornTailLosesOnlyTheLastUpdates) {
  const auto a = write("a", {}), b = write("b", {});
  const auto size = std::filesystem::file_size(b);
  std::uint64_t updates = 0;
  for (auto torn = size * 2 / 3; torn < size; torn += 97) {
    std::filesystem::resize_file(write("b", {}), torn);
    const RunDifference found = diff(a, b);
    EXPECT_TRUE(found.isProvenSame());
    EXPECT_GE(found.commonUpdates, updates);
    updates = found.commonUpdates;
    EXPECT_EQ(found.a.onlyHere, 6 - updates);
    EXPECT_EQ(found.b.flaw, "its last record is torn");
  }
  EXPECT_EQ(updates, 5u);
}

TEST_F(RunDifferenceTest, DamageIsSkippedAndTold) {
  const auto a = write("a", {}), b = write("b", {});
  std::fstream file(b, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(std::streamoff(std::filesystem::file_size(b) / 2));
  file.write("damage", 6);
  file.close();
  const RunDifference found = diff(a, b);
  EXPECT_TRUE(found.isProvenSame());
  EXPECT_EQ(found.commonUpdates, 5u);
  EXPECT_THAT(found.b.flaw, HasSubstr("damaged at byte"));
}

// An update may have several records, and a tensor be in each of them.
TEST_F(RunDifferenceTest, ASampleThatIsNotWholeReplacesNone) {
  const std::string header(kSampleLogHeader);
  const std::string tensor = R"({"tensor": "a", "shape": [4]})";
  SampleDigest whole, none;
  none.parts = 0;
  const auto record = [](const SampleDigest &digest) {
    std::string bytes(1, kUpdateMark);
    appendNumber(bytes, 7); // update
    appendNumber(bytes, 0); // tensor
    appendDigest(bytes, digest);
    return bytes;
  };
  popscope::tests::StringSink sink;
  summary::RecordWriter writer(sink);
  for (const std::string &bytes : {header, tensor, record(whole), record(none)})
    ASSERT_EQ(writer.append(bytes), summary::SinkError::none);
  ASSERT_EQ(writer.flush(), summary::SinkError::none);
  popscope::tests::StringSource a(sink.bytes), b(sink.bytes);
  SampleLogReader readerA(a), readerB(b);
  const RunDifference found = compareRuns(readerA, readerB);
  EXPECT_EQ(found.comparisons(), 0u);
  EXPECT_THAT(found.a.flaw, HasSubstr("samples of update 7 are not as"));
}

TEST_F(RunDifferenceTest, AnyBytesCanBeRead) {
  const auto a = write("a", {});
  std::ifstream in(a, std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  for (std::size_t size = 0; size < whole.size(); size += 101) {
    const std::string part = whole.substr(0, size);
    const std::string file = directory.file("part", part);
    summary::FileSource bytes(file);
    try {
      SampleLogReader reader(bytes);
      while (reader.next()) {
      }
    } catch (const std::invalid_argument &error) {
      EXPECT_LT(size, 200u) << error.what();
    }
  }
  summary::FileSource other(directory.file("other", "an ordinary text file"));
  EXPECT_THROW(SampleLogReader reader(other), std::invalid_argument);
}

TEST_F(RunDifferenceTest, LongRunsHaveFewCellsAndLoseNoDifference) {
  TestRun run;
  run.tensors = 2;
  run.updates = 3 * unsigned(kMostCells);
  TestRun changed = run;
  changed.changes = {{{1, 1000}, 1.5f}};
  const RunDifference found = diff(write("a", run), write("b", changed));
  EXPECT_EQ(found.updatesPerCell, 4u);
  const std::vector<float> &cells = found.tensors[1].cells;
  ASSERT_EQ(cells.size(), run.updates / 4);
  for (std::size_t i = 0; i < cells.size(); ++i)
    EXPECT_EQ(cells[i] > 0, i == 1000 / 4) << i;
}

TEST_F(RunDifferenceTest, TheReducedGradientOfReplicasIsThatOfOne) {
  using graph::TapMoment;
  const std::vector<float> whole{2, 4}, part{1, 2};
  const auto tapOf = [](unsigned id, TapMoment moment) {
    Tap tap;
    tap.id = TapId(id);
    tap.tensor.name = "w_grad";
    tap.tensor.kind = graph::TensorKind::gradient;
    tap.tensor.moment = moment;
    tap.tensor.dtype = "float";
    tap.tensor.shape = {2};
    return tap;
  };
  const auto twice = [](const std::vector<float> &values) {
    TensorSample sample = tests::sampleOf(values);
    sample.merge(tests::sampleOf(values));
    return sample;
  };
  const Tap accumulated = tapOf(0, TapMoment::accumulated);
  const Tap reduced = tapOf(1, TapMoment::reduced);
  SampleLog one(directory.path() / "one"), two(directory.path() / "two");
  one.take(accumulated, Update(0), tests::sampleOf(whole));
  one.close({});
  two.take(accumulated, Update(0), twice(part));
  two.take(reduced, Update(0), twice(whole));
  two.close({});
  const RunDifference found =
      diff(directory.path() / "one", directory.path() / "two");
  EXPECT_TRUE(found.isProvenSame());
  EXPECT_THAT(found.b.tensorsOnlyHere, ElementsAre("w_grad"));
  const RunDifference replicas =
      diff(directory.path() / "two", directory.path() / "two");
  EXPECT_EQ(replicas.comparisons(), 2u);
}

TEST_F(RunDifferenceTest, SamplesKeptApartAreInTheOrderOfTheirMicroBatches) {
  const auto writeApart = [&](const char *name, float change) {
    SampleLog log(directory.path() / name);
    std::deque<Tap> taps;
    for (unsigned microBatch = 0; microBatch < 2; ++microBatch)
      for (unsigned tensor = 0; tensor < 2; ++tensor) {
        Tap tap;
        tap.id = TapId(tensor);
        tap.tensor.name = "t" + std::to_string(tensor);
        tap.tensor.dtype = "float";
        tap.tensor.shape = {2};
        tap.origin = SampleOrigin{0, microBatch};
        taps.push_back(tap);
        const bool isChanged = tensor != microBatch;
        log.take(taps.back(), Update(0),
                 tests::sampleOf(
                     std::vector<float>{1.0f, isChanged ? change : 1.0f}));
      }
    log.close({});
    return directory.path() / name;
  };
  const RunDifference found =
      diff(writeApart("a", 1.0f), writeApart("b", 2.0f));
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.tensors[*found.first].a.tag, "t1/replica_0/micro_batch_0");
}

} // namespace
} // namespace popscope::outfeed
