#include "summary/records/line_writer.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temp_dir.hpp"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace popscope::summary {
namespace {

namespace fs = std::filesystem;
using Existing = LineWriter::Existing;

class LineWriterTest : public ::testing::Test {
protected:
  std::string content() const {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  const tests::TempDir directory;
  const fs::path file = directory.path() / "lines";
};

TEST_F(LineWriterTest, ReplacesOrAppends) {
  for (const Existing existing :
       {Existing::replace, Existing::append, Existing::append}) {
    LineWriter writer(file, existing);
    writer.append(Step(1), "one");
    EXPECT_TRUE(writer.report().isWhole());
  }
  EXPECT_EQ(content(), "one\none\none\n");
  LineWriter(file, Existing::replace).append(Step(1), "two");
  EXPECT_EQ(content(), "two\n");
}

TEST_F(LineWriterTest, OnAFullDiskEndsWithAWholeLineAndCountsTheRest) {
  LineWriter writer(file, Existing::replace);
  const tests::FileSizeLimit limit(10);
  for (int step = 5; step < 9; ++step)
    writer.append(Step(step), "four");
  writer.flush(); // 20 bytes, of which 10 fit: two lines
  writer.append(Step(9), "more");
  writer.close();
  EXPECT_EQ(content(), "four\nfour\n");
  EXPECT_EQ(writer.report().what, file.string());
  EXPECT_EQ(writer.report().error, "disk full");
  EXPECT_EQ(writer.report().lostRecords, 3u);
  EXPECT_EQ(writer.report().lostBytes, 3u * 5);
  EXPECT_EQ(writer.report().firstLost->value(), 7);
}

TEST_F(LineWriterTest, GoesOnWithWhatHasGatheredWhenTheDiskHasRoom) {
  tests::FakeClock clock(100);
  LineWriter writer(file, Existing::replace, {"", {}, clock});
  {
    const tests::FileSizeLimit limit(8);
    writer.append(Step(1), "four");
    writer.append(Step(2), "five");
    writer.flush();
    EXPECT_EQ(writer.report().lostRecords, 1u);
  }
  writer.append(Step(3), "six");
  writer.flush();
  EXPECT_EQ(content(), "four\n") << "it is not tried all the time";
  clock.advance(1);
  writer.append(Step(4), "seven");
  writer.flush();
  EXPECT_EQ(content(), "four\nfive\nsix\nseven\n");
  EXPECT_EQ(writer.report().error, "disk full; writing went on later");
  EXPECT_EQ(writer.report().lostRecords, 0u);
}

TEST_F(LineWriterTest, TriesALastTimeWhenItIsClosed) {
  LineWriter writer(file, Existing::replace, {"", {}, tests::FakeClock(100)});
  {
    const tests::FileSizeLimit limit(2);
    writer.append(Step(1), "four");
    writer.flush();
  }
  writer.close();
  EXPECT_EQ(content(), "four\n");
}

TEST_F(LineWriterTest, GathersAtMost128KiBAndCountsTheRest) {
  const std::string line(1023, 'x');
  tests::FakeClock clock(100);
  LineWriter writer(file, Existing::replace, {"", {}, clock});
  {
    const tests::FileSizeLimit limit(100);
    for (int step = 0; step < 1000; ++step)
      writer.append(Step(step), line);
  }
  EXPECT_EQ(writer.report().lostRecords, 1000u);
  writer.close();
  const std::uint64_t kept = fs::file_size(file) / 1024;
  EXPECT_GE(kept, 64u);
  EXPECT_LE(kept, 128u);
  EXPECT_EQ(writer.report().lostRecords, 1000 - kept);
  EXPECT_EQ(writer.report().firstLost->value(), std::int64_t(kept));
}

TEST_F(LineWriterTest, HalfALineThatCouldNotBeCutOffIsCutWhenItGoesOn) {
  tests::FakeClock clock(100);
  LineWriter writer(file, Existing::replace, {"", {}, clock});
  {
    const tests::FileSizeLimit limit(8);
    writer.append(Step(1), "four");
    writer.append(Step(2), "five");
    writer.flush();
  }
  std::ofstream(file, std::ios::app) << "fi"; // as if the cut had failed
  clock.advance(1);
  writer.flush();
  EXPECT_EQ(content(), "four\nfive\n");
}

TEST_F(LineWriterTest, EveryNewFileHasTheHeading) {
  tests::FakeClock clock(100);
  LineWriter writer(file, Existing::append, {"heading", {}, clock});
  writer.append(Step(1), "one");
  writer.flush();
  EXPECT_EQ(content(), "heading\none\n");
  fs::remove(file);
  writer.append(Step(2), "two");
  writer.flush();
  EXPECT_THAT(writer.report().error, testing::HasSubstr("was removed"));
  clock.advance(1);
  writer.append(Step(3), "three");
  writer.flush();
  EXPECT_EQ(content(), "heading\nthree\n");
  EXPECT_EQ(writer.report().lostRecords, 2u);
  EXPECT_EQ(writer.report().firstLost->value(), 1);
}

TEST_F(LineWriterTest, ADirectoryThatWasRemovedIsMadeAgain) {
  tests::FakeClock clock(100);
  const fs::path deep = directory.path() / "run" / "lines";
  fs::create_directory(deep.parent_path());
  LineWriter writer(deep, Existing::append, {"", {}, clock});
  fs::remove_all(deep.parent_path());
  writer.append(Step(1), "one");
  writer.flush();
  clock.advance(1);
  writer.append(Step(2), "two");
  writer.flush();
  EXPECT_EQ(fs::file_size(deep), 4u);
}

TEST_F(LineWriterTest, KeepsTheLinesAskedForWhenItCanBeOpenedAtLast) {
  directory.file("lines", "1 a\n2 b\n3 c\n");
  tests::FakeClock clock(100);
  const auto keepBelow3 = [](const std::string &line) { return line[0] < '3'; };
  std::unique_ptr<LineWriter> writer;
  {
    const tests::FileSizeLimit limit(4);
    writer = std::make_unique<LineWriter>(file, keepBelow3,
                                          LineWriter::Options{"", {}, clock});
    writer->append(Step(3), "3 d");
  }
  clock.advance(1);
  writer->flush();
  EXPECT_EQ(content(), "1 a\n2 b\n3 d\n");
}

TEST_F(LineWriterTest, FailuresAreToldAtOnce) {
  std::vector<WriteReport> told;
  tests::FakeClock clock(100);
  LineWriter writer(
      file, Existing::replace,
      {"", [&](const WriteReport &report) { told.push_back(report); }, clock});
  {
    const tests::FileSizeLimit limit(2);
    writer.append(Step(1), "four");
    writer.flush();
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].error, "disk full");
    EXPECT_EQ(told[0].lostRecords, 1u);
  }
  clock.advance(1);
  writer.flush();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[1].lostRecords, 0u);
}

TEST_F(LineWriterTest, CutsTheLineThatDoesNotFit) {
  LineWriter writer(file, Existing::replace);
  const tests::FileSizeLimit limit(8);
  writer.append(Step(1), "four");
  writer.append(Step(2), "four");
  writer.flush();
  EXPECT_EQ(content(), "four\n");
  EXPECT_EQ(writer.report().lostRecords, 1u);
}

TEST_F(LineWriterTest, NoticesThatItsFileVanished) {
  LineWriter writer(file, Existing::replace);
  fs::remove(file);
  writer.append(Step(3), "line");
  writer.flush();
  EXPECT_THAT(writer.report().error, testing::HasSubstr("was removed"));
  EXPECT_EQ(writer.report().lostRecords, 1u);
}

TEST_F(LineWriterTest, FileThatCannotBeOpenedLosesEveryLine) {
  LineWriter writer(file / "below a file that is not there", Existing::append);
  EXPECT_FALSE(writer.report().isWhole());
  writer.append(Step(3), "line");
  EXPECT_EQ(writer.report().error,
            "cannot be opened: No such file or directory");
  EXPECT_EQ(writer.report().lostRecords, 1u);
  EXPECT_EQ(writer.report().firstLost->value(), 3);
}

TEST_F(LineWriterTest, ReaderWhoGoesAwayEndsTheStream) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  LineWriter writer(ends[1], "standard output");
  writer.append(Step(1), "line");
  writer.flush();
  EXPECT_TRUE(writer.report().isWhole());
  ::close(ends[0]);
  writer.append(Step(2), "line");
  writer.flush();
  EXPECT_EQ(writer.report().error, "its reader went away");
  EXPECT_EQ(writer.report().lostRecords, 1u);
  EXPECT_EQ(writer.report().firstLost->value(), 2);
  EXPECT_NE(::fcntl(ends[1], F_GETFD), -1) << "the stream is not the writer's";
  ::close(ends[1]);
  std::signal(SIGPIPE, before);
}

TEST_F(LineWriterTest, KeepsTheLinesAskedForAndNoHalfOnes) {
  directory.file("lines", "1 a\n2 b\n3 c\n1 torn");
  keepLines(file, [](const std::string &line) { return line[0] != '2'; });
  EXPECT_EQ(content(), "1 a\n3 c\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), {}), 1)
      << "nothing is left beside it";
}

TEST_F(LineWriterTest, KeepsAllLinesOnADiskThatIsFull) {
  directory.file("lines", "1 a\n2 b\n3 c\n");
  const auto keepOdd = [](const std::string &line) { return line[0] != '2'; };
  {
    const tests::FileSizeLimit limit(4);
    EXPECT_THROW(keepLines(file, keepOdd), std::runtime_error);
  }
  EXPECT_EQ(content(), "1 a\n2 b\n3 c\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), {}), 1);
}

TEST_F(LineWriterTest, GoesOnAfterTheLinesItKeeps) {
  directory.file("lines", "1 a\n2 b\n3 c\n");
  const auto keepBelow3 = [](const std::string &line) { return line[0] < '3'; };
  LineWriter(file, keepBelow3).append(Step(3), "3 d");
  EXPECT_EQ(content(), "1 a\n2 b\n3 d\n");
  const tests::FileSizeLimit limit(4);
  LineWriter writer(file, keepBelow3);
  EXPECT_THAT(writer.report().error, testing::HasSubstr("File too large"));
  writer.append(Step(3), "3 e");
  EXPECT_EQ(writer.report().lostRecords, 1u);
  EXPECT_EQ(content(), "1 a\n2 b\n3 d\n");
}

TEST_F(LineWriterTest, KeepsALinkAndTheModeOfItsTarget) {
  directory.file("target", "1\n2\n");
  fs::permissions(directory.path() / "target", fs::perms(0640));
  fs::create_symlink("target", file);
  keepLines(file, [](const std::string &line) { return line == "1"; });
  EXPECT_TRUE(fs::is_symlink(file));
  EXPECT_EQ(content(), "1\n");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
}

} // namespace
} // namespace popscope::summary
