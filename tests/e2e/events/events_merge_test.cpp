#include "tests/e2e/events/events_log.hpp"

#include <cmath>
#include <map>

namespace popscope {
namespace {

using Points = std::vector<std::pair<int, float>>; // steps and values

// Parts of a run, and what became of them.
class EventsMerge : public EventsCommand {
protected:
  fs::path part(const std::string &name) const {
    return directory_.path() / name;
  }
  fs::path merged() const { return directory_.path() / "merged"; }

  // Scalars of one part, one second after the other from `time`.
  void write(const std::string &name, double time,
             const std::map<std::string, Points> &series) const {
    summary::EventWriterOptions options;
    tests::FakeClock clock(time);
    options.clock = clock;
    EventWriter writer(part(name), options);
    for (const auto &[tag, points] : series)
      for (const auto &[step, value] : points) {
        clock.advance(1);
        writer.scalar(Tag(tag), Step(step), value);
      }
    ASSERT_EQ(writer.close(), summary::SinkError::none);
  }

  tests::CommandResult merge(const std::string &arguments) const {
    return events("merge " + arguments + " -o " + merged().string());
  }
  std::string paths(const std::vector<std::string> &names) const {
    std::string all;
    for (const std::string &name : names)
      all += " " + part(name).string();
    return all;
  }

  fs::path mergedFile(const std::string &run = ".") const {
    return *fs::directory_iterator(merged() / run);
  }
  Points points(const std::string &tag) const {
    Points found;
    for (const auto &event : tests::readEvents(mergedFile()))
      for (const auto &value : event.summary().value())
        if (value.tag() == tag)
          found.emplace_back(event.step(), value.simple_value());
    return found;
  }
};

TEST_F(EventsMerge, PointsAreInOrderOfStepAndWallTime) {
  write("a", 100, {{"loss", {{0, 10}, {2, 12}, {4, 14}}}, {"x", {{4, 1}}}});
  write("b", 200, {{"loss", {{1, 21}, {3, 23}}}, {"y", {{4, 2}, {0, 3}}}});
  const auto result = merge(paths({"b", "a"}));
  ASSERT_EQ(result.exitCode, 0) << result.output;
  EXPECT_EQ(result.output, merged().string() + ": 8 points in 1 run\n");
  EXPECT_EQ(points("loss"),
            (Points{{0, 10}, {1, 21}, {2, 12}, {3, 23}, {4, 14}}));
  const auto all = tests::readEvents(mergedFile());
  ASSERT_GT(all.size(), 1U);
  EXPECT_EQ(all[0].file_version(), "brain.Event:2");
  for (std::size_t i = 2; i < all.size(); ++i)
    EXPECT_LE(std::make_pair(all[i - 1].step(), all[i - 1].wall_time()),
              std::make_pair(all[i].step(), all[i].wall_time()));
  EXPECT_EQ(events("doctor " + merged().string()).exitCode, 0);
}

TEST_F(EventsMerge, OfOneTagAndStepTheLatestPointIsKept) {
  write("a", 200, {{"loss", {{0, 1}, {1, 2}}}});
  write("b", 100, {{"loss", {{1, 3}, {2, 4}}}});
  const auto result = merge(paths({"a", "b"}));
  EXPECT_EQ(result.output, merged().string() +
                               ": 3 points in 1 run; 1 replaced by later "
                               "ones\n");
  EXPECT_EQ(points("loss"), (Points{{0, 1}, {1, 2}, {2, 4}}));
}

TEST_F(EventsMerge, ACopyIsWrittenOnce) {
  write("a", 100, {{"loss", {{0, 1}, {1, 2}}}});
  fs::copy(part("a"), part("copy"));
  const auto result = merge(paths({"a", "copy"}) + " --json");
  EXPECT_EQ(result.output,
            "{\"path\": \"" + merged().string() +
                "\", \"runs\": 1, \"points\": 2, \"copies\": 2, "
                "\"replaced\": 0, \"folded\": 0, \"not_foldable\": 0}\n");
  EXPECT_EQ(points("loss"), (Points{{0, 1}, {1, 2}}));
}

TEST_F(EventsMerge, AnAnnouncedRestartHasTakenEffect) {
  addResumedRun(); // stopped after step 3, continued at step 2 with other
                   // values
  {
    EventWriter writer(logs() / "resumed"); // and again at 1, for one step
    writer.resume(Step(1));
    writer.scalar(Tag("loss"), Step(1), 7);
  }
  write("late", 1, {{"loss", {{9, 9}}}});
  const auto result =
      merge((logs() / "resumed").string() + " " + part("late").string());
  EXPECT_EQ(points("loss"), (Points{{0, 0}, {1, 7}, {9, 9}})) << result.output;
  for (const auto &event : tests::readEvents(mergedFile()))
    EXPECT_FALSE(event.has_session_log()) << "it would purge again";
}

TEST_F(EventsMerge, RunsOfTheSameNameBecomeOne) {
  write("a/train", 100, {{"loss", {{0, 1}}}});
  write("b/train", 100, {{"loss", {{1, 2}}}});
  write("b/test", 100, {{"loss", {{0, 3}}}});
  const auto result = merge(paths({"a", "b"}));
  EXPECT_EQ(result.output, merged().string() + ": 3 points in 2 runs\n");
  EXPECT_EQ(tests::stepsOf(tests::readEvents(mergedFile("train")), "loss"),
            (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(tests::stepsOf(tests::readEvents(mergedFile("test")), "loss"),
            (std::vector<std::int64_t>{0}));
  fs::remove_all(merged());
  EXPECT_EQ(merge(paths({"a", "b"}) + " --run test").output,
            merged().string() + ": 1 point in 1 run\n");
}

TEST_F(EventsMerge, TheFirstValueOfATagHasItsMetadata) {
  // Later values have none; the first one of the other file comes later.
  const std::string train = (logs() / "train").string();
  for (const std::string half : {"--from-step 2", "--to-step 1"})
    ASSERT_EQ(
        events("cut " + train + " " + half + " --tag weights -o " +
               (directory_.path() / (half.substr(2, 2) + ".tfevents")).string())
            .exitCode,
        0);
  ASSERT_EQ(merge(paths({"fr.tfevents", "to.tfevents"})).exitCode, 0);
  const auto values =
      tests::valuesOf(tests::readEvents(mergedFile()), "weights");
  ASSERT_EQ(values.size(), std::size_t(kSteps));
  EXPECT_EQ(values[0].metadata().plugin_data().plugin_name(), "histograms");
}

TEST_F(EventsMerge, StatisticsOfTapsAreFoldedOnlyIfAsked) {
  const std::string tensor = "tapped_weights/dense/kernel:0/";
  write("a", 100,
        {{tensor + "mean", {{5, 1}}},
         {tensor + "std", {{5, 2}}},
         {tensor + "min", {{5, -3}}},
         {tensor + "max", {{5, 4}}},
         {tensor + "l2_norm", {{5, 3}}},
         {tensor + "zero_share", {{5, 0.5F}}},
         {tensor + "saturated_share", {{5, 0.5F}}},
         {"loss", {{5, 1}}}});
  write("b", 200,
        {{tensor + "mean", {{5, 3}, {6, 8}}},
         {tensor + "std", {{5, 2}}},
         {tensor + "min", {{5, -1}}},
         {tensor + "max", {{5, 9}}},
         {tensor + "l2_norm", {{5, 4}}},
         {tensor + "zero_share", {{5, 0.25F}}},
         {"loss", {{5, 2}}}});
  const auto joined = merge(paths({"a", "b"}));
  EXPECT_THAT(joined.output, HasSubstr("6 statistics of taps came from more "
                                       "than one input"));
  EXPECT_THAT(joined.output, HasSubstr("--fold"));
  EXPECT_EQ(points(tensor + "min"), (Points{{5, -1}}));
  fs::remove_all(merged());

  const auto result = merge(paths({"a", "b"}) + " --fold");
  EXPECT_EQ(result.output, merged().string() +
                               ": 9 points in 1 run; 1 replaced by later "
                               "ones; 13 folded\n");
  EXPECT_EQ(points(tensor + "mean"), (Points{{5, 2}, {6, 8}}));
  EXPECT_EQ(points(tensor + "std"), (Points{{5, std::sqrt(5.0F)}}));
  EXPECT_EQ(points(tensor + "min"), (Points{{5, -3}}));
  EXPECT_EQ(points(tensor + "max"), (Points{{5, 9}}));
  EXPECT_EQ(points(tensor + "l2_norm"), (Points{{5, 5}}));
  EXPECT_EQ(points(tensor + "zero_share"), (Points{{5, 0.375F}}));
  EXPECT_EQ(points(tensor + "saturated_share"), (Points{{5, 0.25F}}));
  EXPECT_EQ(points("loss"), (Points{{5, 2}})) << "is only joined";
}

TEST_F(EventsMerge, WhatCannotBeFoldedIsLeftOutAndCounted) {
  const std::string tensor = "tapped_gradients/a/";
  write("a", 100,
        {{tensor + "mean", {{0, 1}}},
         {tensor + "std", {{0, 1}}},
         {tensor + "nan", {{0, 2}}}});
  write("b", 200, {{tensor + "mean", {{0, 1}}}, {tensor + "std", {{0, 1}}}});
  const auto result = merge(paths({"a", "b"}) + " --fold");
  EXPECT_EQ(result.output, merged().string() +
                               ": 1 point in 1 run; 1 folded; 4 left out, "
                               "because they cannot be folded\n");
  EXPECT_EQ(points(tensor + "nan"), (Points{{0, 2}}));
  EXPECT_EQ(points(tensor + "mean"), Points());
}

TEST_F(EventsMerge, HistogramsOfTapsAreFolded) {
  const Tag tag("tapped_weights/a/histogram");
  const std::vector<std::vector<float>> tensors = {{0, 1, 2}, {2, 3}};
  for (std::size_t i = 0; i < 2; ++i) {
    EventWriter writer(part(std::to_string(i)));
    writer.histogram(
        tag, Step(0),
        summary::histogramWithEdges(tensors[i], std::vector<double>{0, 2, 3}));
  }
  ASSERT_EQ(merge(paths({"0", "1"}) + " --fold").exitCode, 0);
  EXPECT_THAT(events("export " + merged().string() +
                     " --kind histograms "
                     "| cut -d, -f 4-")
                  .output,
              HasSubstr("0,0.0,2.0,2.0\r\n0,2.0,3.0,3.0\r\n"));
}

TEST_F(EventsMerge, DamageIsReportedAndTheRestMerged) {
  damage(offsetOf(3) + summary::kHeaderBytes + 3);
  const auto result = merge(file().string());
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.output, HasSubstr("CRC"));
  EXPECT_TRUE(fs::exists(mergedFile()));
}

TEST_F(EventsMerge, BadInputIsRefusedInOneLineAndWritesNothing) {
  write("a", 100, {{"loss", {{0, 1}}}});
  directory_.file("empty.tfevents", "");
  const std::string a = part("a").string();
  const auto expectRefused = [&](const std::string &arguments,
                                 const std::string &reason) {
    const auto result = events("merge " + arguments);
    EXPECT_EQ(result.exitCode, 2) << arguments;
    EXPECT_THAT(result.output, StartsWith("popscope: ")) << arguments;
    EXPECT_THAT(result.output, HasSubstr(reason)) << arguments;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1)
        << result.output;
    EXPECT_FALSE(fs::exists(merged())) << arguments;
  };
  const std::string output = " -o " + merged().string();
  expectRefused(a, "-o");
  expectRefused(output, "PATH");
  expectRefused(a + " " + part("none").string() + output, "none: no such file");
  expectRefused(a + " " + a + output, "give each part once");
  expectRefused(a + " " + fs::directory_iterator(part("a"))->path().string() +
                    output,
                "give each part once");
  expectRefused(a + " -o " + a, "holds event files already");
  expectRefused(a + " --run x" + output, "no run matches --run 'x'");
  expectRefused(part("empty.tfevents").string() + output, "nothing to merge");
  expectRefused(a + " -o " + part("empty.tfevents").string() + "/x",
                "Not a directory");
}

} // namespace
} // namespace popscope
