// What becomes of samples when the program ends in a way that nobody planned.
#include "outfeed/sinks/json_lines.hpp"
#include "tests/outfeed/fed_program.hpp"
#include "tests/support/temp_dir.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace popscope::outfeed {
namespace {

using testing::ElementsAre;
using tests::constant;
using tests::FedOptions;
using tests::FedProgram;

// The engine fails in this execution.
tests::Values failingAt(unsigned execution) {
  return [=](unsigned, unsigned e) {
    if (e == execution)
      throw std::runtime_error("no more data");
    return constant(float(e));
  };
}

TEST(Shutdown, AfterAnEngineErrorTheSinksHaveAllThatCameBefore) {
  FedProgram program({"x"}, failingAt(4));
  EXPECT_ANY_THROW(program.run(10));
  EXPECT_THAT(program.close().updates(), ElementsAre(0, 1, 2, 3));
}

TEST(Shutdown, AnExceptionThatEndsTheSessionLeavesAWholeFile) {
  const popscope::tests::TempDir directory;
  const std::string file = (directory.path() / "samples.json").string();
  FedOptions options;
  options.sinks.emplace_back(
      [file] { return std::make_unique<JsonLines>(file); });
  try {
    FedProgram program({"x"}, failingAt(4), options);
    program.run(10);
    ADD_FAILURE() << "the engine did not fail";
  } catch (const std::exception &) {
  }
  std::ifstream in(file);
  unsigned lines = 0;
  for (std::string line; std::getline(in, line); ++lines)
    EXPECT_EQ(line.back(), '}');
  EXPECT_EQ(lines, 4u);
}

TEST(Shutdown, AUserOfTheSessionWhoThrowsBetweenRunsLosesNothing) {
  std::vector<std::uint32_t> seen;
  class Sink : public SampleSink {
  public:
    explicit Sink(std::vector<std::uint32_t> &seen) : seen_(seen) {}
    void take(const Tap &, Update update, const TensorSample &) override {
      seen_.push_back(update.value());
    }

  private:
    std::vector<std::uint32_t> &seen_;
  };
  FedOptions options;
  options.sinks.emplace_back([&seen] { return std::make_unique<Sink>(seen); });
  try {
    FedProgram program({"x"}, failingAt(100), options);
    program.run(20);
    throw std::runtime_error("in a callback");
  } catch (const std::exception &) {
  }
  EXPECT_EQ(seen.size(), 20u);
}

} // namespace
} // namespace popscope::outfeed
