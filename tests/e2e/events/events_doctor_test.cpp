#include "tests/e2e/events/events_log.hpp"

#include <limits>

namespace popscope {
namespace {

TEST_F(EventsCommand, CheckOfWholeFilesSucceeds) {
  const auto result = events("check " + logs().string());
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output, HasSubstr("whole"));
}

TEST_F(EventsCommand, CheckAndDoctorNameTheDamagedByte) {
  const std::size_t offset = offsetOf(2);
  damage(offset + summary::kHeaderBytes + 3);
  for (const char *command : {"check ", "doctor "}) {
    const auto result = events(command + logs().string());
    EXPECT_EQ(result.exitCode, 1) << command;
    EXPECT_THAT(result.output, HasSubstr("byte " + std::to_string(offset)))
        << command;
  }
  EXPECT_THAT(events("doctor " + logs().string()).output,
              HasSubstr("Python loader reads 2 records and stops there; the "
                        "default one may show wrong values"));
}

TEST_F(EventsCommand, CheckReportsATornTail) {
  fs::resize_file(file(), fs::file_size(file()) - 1);
  const auto result = events("check " + file().string());
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.output, HasSubstr("ends inside a record"));
}

TEST_F(EventsCommand, DoctorFindsNothingWrongWithAGoodLog) {
  const auto result = events("doctor " + logs().string());
  EXPECT_EQ(result.exitCode, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("nothing wrong"));
}

TEST_F(EventsCommand, DoctorFindsFilesWithTheWrongName) {
  fs::rename(file(), file().parent_path() / "events.log");
  const auto result = events("doctor " + logs().string());
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.output, HasSubstr("events.log: holds events, but its "
                                       "name does not contain \"tfevents\""));
}

TEST_F(EventsCommand, DoctorExplainsEmptyCompressedAndReservedFiles) {
  fs::create_directory(directory_.path() / "odd");
  directory_.file("odd/a.tfevents", "");
  EXPECT_THAT(events("doctor " + (directory_.path() / "odd").string()).output,
              HasSubstr("is empty"));
  directory_.file("odd/a.tfevents", "\x1f\x8b and more than a header");
  EXPECT_THAT(events("doctor " + (directory_.path() / "odd").string()).output,
              HasSubstr("gzip"));
  directory_.file("odd/a.tfevents", std::string(4096, '\0'));
  EXPECT_THAT(events("doctor " + (directory_.path() / "odd").string()).output,
              HasSubstr("begins with zeros"));
}

TEST_F(EventsCommand, DoctorFindsStepsThatNeverMoveAndGoBack) {
  {
    EventWriter writer(logs() / "odd");
    for (const int step : {5, 5, 5})
      writer.scalar(Tag("stuck"), Step(step), 1.0F);
    for (const int step : {1, 2, 1})
      writer.scalar(Tag("back"), Step(step), 1.0F);
    writer.scalar(Tag("nan"), Step(0), std::numeric_limits<float>::quiet_NaN());
  }
  const auto result = events("doctor " + logs().string());
  EXPECT_THAT(result.output, HasSubstr("tag stuck: all 3 values have step 5"));
  EXPECT_THAT(result.output, HasSubstr("tag back: steps go back 1 time and"));
  EXPECT_THAT(result.output, HasSubstr("tag nan: none of its values"));
  EXPECT_THAT(result.output, Not(HasSubstr("run train")));
}

TEST_F(EventsCommand, DoctorDoesNotMindARestartThatIsAnnounced) {
  addResumedRun();
  const auto result = events("doctor " + logs().string());
  EXPECT_EQ(result.exitCode, 0) << result.output;
}

TEST_F(EventsCommand, KindsAreThoseThatTensorBoardSees) {
  summary::proto::Summary::Value plain, named, tensor, histogram;
  for (auto *value : {&plain, &named, &tensor, &histogram})
    value->set_tag("tag");
  plain.set_simple_value(1);
  named = plain;
  named.mutable_metadata()->mutable_plugin_data()->set_plugin_name("other");
  tensor.mutable_tensor()->set_dtype(summary::proto::DT_FLOAT);
  tensor.mutable_tensor()->add_float_val(2);
  histogram.mutable_histo()->add_bucket(1);
  histogram.mutable_histo()->add_bucket_limit(2);

  addRun("two forms", {plain, tensor, named});
  addRun("named", {named, plain});
  auto result = events("doctor " + logs().string());
  EXPECT_EQ(result.exitCode, 0) << result.output;
  EXPECT_THAT(events("inspect " + logs().string()).output,
              HasSubstr("tag\tnamed\tscalars\ttag\t2\t"));

  addRun("two kinds", {plain, histogram, plain});
  *tensor.mutable_metadata() = named.metadata();
  addRun("foreign", {tensor});
  result = events("doctor " + logs().string());
  EXPECT_THAT(result.output,
              HasSubstr("run two kinds, tag tag: 1 value not of the kind"));
  EXPECT_THAT(result.output,
              HasSubstr("run foreign, tag tag: is for the plugin other"));

  const auto exported =
      events("export " + logs().string() + " --run 'two kinds'");
  EXPECT_EQ(exported.exitCode, 1);
  EXPECT_THAT(exported.output, HasSubstr("two kinds,tag,0.0,0,1.0\r\n"
                                         "two kinds,tag,0.0,2,1.0\r\n"));
  EXPECT_THAT(exported.output, HasSubstr("tag: left out 1 value not of"));
}

TEST_F(EventsCommand, DoctorExaminesEveryPath) {
  fs::create_directory(directory_.path() / "odd");
  directory_.file("odd/a.tfevents", "");
  fs::create_directory(directory_.path() / "nothing");
  const std::string odd = (directory_.path() / "odd").string();
  const std::string nothing = (directory_.path() / "nothing").string();
  const auto result =
      events("doctor " + nothing + " " + logs().string() + " " + odd);
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.output, HasSubstr(nothing + ": no event files"));
  EXPECT_THAT(result.output, HasSubstr(odd + "/a.tfevents: is empty"));
  const auto good = events("doctor " + logs().string() + " " + file().string());
  EXPECT_EQ(good.output, logs().string() + ", " + file().string() +
                             ": nothing wrong; TensorBoard shows 2 runs with "
                             "10 tags\n");
}

} // namespace
} // namespace popscope
