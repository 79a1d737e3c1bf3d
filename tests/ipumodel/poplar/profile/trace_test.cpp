#include "tests/support/command.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

using namespace popscope::tests;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

CommandResult runTraced(const TempDir &dir, const std::string &options) {
  return runCommand("cd '" + dir.path().string() + "' && PVTI_OPTIONS='" +
                    options + "' '" TRACED_PROGRAM "'");
}

// The lines of the only trace in the directory; there is one event per line.
std::vector<std::string> traceIn(const std::filesystem::path &directory) {
  std::vector<std::string> lines;
  for (const auto &entry : std::filesystem::directory_iterator(directory)) {
    EXPECT_THAT(entry.path().filename().string(),
                StartsWith("ipumodel_traced_program-"));
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);)
      lines.push_back(line);
  }
  return lines;
}

std::size_t find(const std::vector<std::string> &lines,
                 const std::string &text) {
  return static_cast<std::size_t>(std::find_if(lines.begin(), lines.end(),
                                               [&](const std::string &line) {
                                                 return line.find(text) !=
                                                        std::string::npos;
                                               }) -
                                  lines.begin());
}

} // namespace

TEST(Trace, IsNotWrittenUnlessEnabled) {
  TempDir dir;
  EXPECT_EQ(runTraced(dir, "").exitCode, 3);
  EXPECT_EQ(runTraced(dir, "{\"enable\":\"false\"}").exitCode, 3);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(Trace, HasABeginAndAnEndForEveryTracepoint) {
  TempDir dir;
  ASSERT_EQ(
      runTraced(dir, "{\"enable\":\"true\",\"directory\":\"out\"}").exitCode,
      0);
  const auto lines = traceIn(dir.path() / "out");
  ASSERT_EQ(lines.size(), 11u);
  EXPECT_EQ(lines.front(), "[");
  EXPECT_EQ(lines.back(), "]");
  for (const std::string name : {"say \\\"hello\\\"", "in a thread", "step"}) {
    const std::string event = ",\"cat\":\"test\",\"name\":\"" + name + "\"";
    const std::size_t begin = find(lines, "{\"ph\":\"B\"" + event);
    const std::size_t end = find(lines, "{\"ph\":\"E\"" + event);
    EXPECT_LT(begin, end) << name;
    EXPECT_LT(end, lines.size()) << name;
  }
}

TEST(Trace, CarriesMetadataEventsAndGraphs) {
  TempDir dir;
  ASSERT_EQ(runTraced(dir, "{\"enable\":\"true\"}").exitCode, 0);
  const auto lines = traceIn(dir.path());
  EXPECT_THAT(lines[1], HasSubstr("\"args\":{\"metadata\":{\"answer\":42}}"));
  EXPECT_LT(find(lines, "\"ph\":\"i\",\"cat\":\"test\",\"name\":\"now\""),
            lines.size());
  const std::size_t first = find(lines, "\"name\":\"Loss (bits)\"");
  ASSERT_LT(first + 1, lines.size());
  EXPECT_THAT(lines[first], HasSubstr("\"args\":{\"train\":2.5}"));
  EXPECT_THAT(lines[first + 1], HasSubstr("\"args\":{\"train\":1.25}"));
}

TEST(Trace, RefusesOptionsItDoesNotKnow) {
  TempDir dir;
  const CommandResult result = runTraced(dir, "{\"enabled\":\"true\"}");
  EXPECT_NE(result.exitCode, 0);
  EXPECT_THAT(result.output, HasSubstr("there is no option 'enabled'"));
}
