#include "summary/records/line_writer.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temp_dir.hpp"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>

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
  {
    const tests::FileSizeLimit limit(10);
    for (int step = 5; step < 9; ++step)
      writer.append(Step(step), "four");
    writer.flush(); // 20 bytes, of which 10 fit: two lines
    writer.append(Step(9), "more");
    writer.flush();
  }
  writer.append(Step(10), "more"); // a later success would leave a hole
  writer.flush();
  EXPECT_EQ(content(), "four\nfour\n");
  EXPECT_EQ(writer.report().what, file.string());
  EXPECT_EQ(writer.report().error, "disk full");
  EXPECT_EQ(writer.report().lostRecords, 4u);
  EXPECT_EQ(writer.report().lostBytes, 4u * 5);
  EXPECT_EQ(writer.report().firstLost->value(), 7);
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
