#include "summary/event_writer.hpp"
#include "summary/proto/event.pb.h"
#include "summary/records/file_sink.hpp"
#include "summary/records/record_format.hpp"
#include "summary/records/record_writer.hpp"
#include "tests/support/command.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace popscope {
namespace {

namespace fs = std::filesystem;
using summary::EventBatch;
using summary::EventWriter;
using summary::Step;
using summary::Tag;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kSteps = 4;
constexpr double kStart = 1600000000.0; // seconds

std::string readFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A log directory with one run, "train", and the command to look into it.
class EventsCommand : public ::testing::Test {
protected:
  void SetUp() override {
    summary::EventWriterOptions options;
    tests::FakeClock clock(kStart);
    options.clock = clock;
    EventWriter writer(logs() / "train", options);
    const std::vector<float> weights = {0, 1, 2, 3, 4};
    const std::uint8_t pixels[] = {0, 85, 170, 255};
    for (int step = 0; step < kSteps; ++step) {
      clock.advance(1);
      EventBatch batch{Step(step)};
      batch.add(Tag("loss"), 1.0F / float(step + 1));
      batch.add(Tag("loss/test"), float(step));
      batch.add(Tag("weights"), summary::uniformHistogram(weights, 2));
      writer.write(batch);
    }
    writer.image(Tag("digit"), Step(2),
                 {2, 2, summary::PixelFormat::grey, pixels});
    writer.text(Tag("note"), Step(0), "a, \"b\"");
    file_ = writer.file();
    ASSERT_EQ(writer.close(), summary::SinkError::none);
  }

  fs::path logs() const { return directory_.path() / "logs"; }
  fs::path file() const { return file_; }
  fs::path newFile() const { return directory_.path() / "new.tfevents.1"; }

  static tests::CommandResult events(const std::string &arguments) {
    return tests::runCommand(std::string(POPSCOPE_COMMAND) + " events " +
                             arguments);
  }

  // Alters one byte of the file.
  void damage(std::size_t offset) const {
    std::fstream bytes(file_, std::ios::binary | std::ios::in | std::ios::out);
    bytes.seekg(static_cast<std::streamoff>(offset));
    const char old = static_cast<char>(bytes.get());
    bytes.seekp(static_cast<std::streamoff>(offset));
    bytes.put(static_cast<char>(~old));
  }
  // Where the record with this number begins.
  std::size_t offsetOf(std::size_t record) const {
    summary::FileSource source(file_);
    std::size_t offset = 0;
    const auto payloads = tests::readPayloads(source);
    for (std::size_t i = 0; i < record; ++i)
      offset += payloads[i].size() + summary::kFrameBytes;
    return offset;
  }

  // A run whose values, one at each step, another writer could have written.
  void addRun(const std::string &name,
              const std::vector<summary::proto::Summary::Value> &values) const {
    fs::create_directory(logs() / name);
    summary::FileSink sink(logs() / name / "events.out.tfevents.1");
    summary::RecordWriter writer(sink);
    const auto append = [&](const summary::proto::Event &event) {
      ASSERT_EQ(writer.append(event.SerializeAsString()),
                summary::SinkError::none);
    };
    summary::proto::Event version;
    version.set_file_version("brain.Event:2");
    append(version);
    for (std::size_t step = 0; step < values.size(); ++step) {
      summary::proto::Event event;
      event.set_step(static_cast<std::int64_t>(step));
      *event.mutable_summary()->add_value() = values[step];
      append(event);
    }
    ASSERT_EQ(writer.flush(), summary::SinkError::none);
  }

  // A run that was stopped after step 3 and continued at step 2.
  void addResumedRun() const {
    for (const int first : {0, 2}) {
      EventWriter writer(logs() / "resumed");
      if (first != 0)
        writer.resume(Step(first));
      for (int step = first; step < first + 4; ++step)
        writer.scalar(Tag("loss"), Step(step), float(10 * first + step));
    }
  }

  tests::TempDir directory_;
  fs::path file_;
};

TEST_F(EventsCommand, InspectListsTagsByKindWithCountsAndSteps) {
  const auto result = events("inspect " + logs().string());
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output,
              HasSubstr("tag\ttrain\tscalars\tloss\t4\t0\t3\t0\t16\n"));
  EXPECT_THAT(result.output, HasSubstr("tag\ttrain\thistograms\tweights\t4\t"));
  EXPECT_THAT(result.output, HasSubstr("tag\ttrain\timages\tdigit\t1\t2\t2\t"));
  EXPECT_THAT(result.output, HasSubstr("tag\ttrain\ttext\tnote\t1\t0\t0\t"));
  EXPECT_THAT(result.output,
              HasSubstr("file\ttrain\t" + file().filename().string() + "\t" +
                        std::to_string(fs::file_size(file())) + "\t"));
  EXPECT_THAT(result.output, HasSubstr("\twhole\n"));
}

TEST_F(EventsCommand, TagGlobsChooseAcrossSlashes) {
  const auto result = events("inspect " + logs().string() + " --tag 'loss*'");
  EXPECT_THAT(result.output, HasSubstr("\tloss\t"));
  EXPECT_THAT(result.output, HasSubstr("\tloss/test\t"));
  EXPECT_THAT(result.output, Not(HasSubstr("weights")));
}

TEST_F(EventsCommand, FileRunAndLogDirectoryGiveTheSameTags) {
  for (const fs::path &path : {file(), file().parent_path()})
    EXPECT_THAT(events("inspect " + path.string()).output,
                HasSubstr("tag\t.\tscalars\tloss\t4\t0\t3\t0\t16\n"));
}

TEST_F(EventsCommand, JsonOfInspectIsJson) {
  const auto result = tests::runCommand(
      std::string(POPSCOPE_COMMAND) + " events inspect --json " +
      logs().string() +
      " | python3 -c 'import json,sys; r=json.load(sys.stdin)[0];"
      " print(r[\"run\"], [t[\"last_step\"] for t in r[\"tags\"]"
      " if t[\"tag\"]==\"loss\"])'");
  EXPECT_EQ(result.output, "train [3]\n");
}

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

TEST_F(EventsCommand, RepairKeepsEveryWholeRecordAndLeavesTheOriginal) {
  const auto before = tests::readEvents(file());
  damage(offsetOf(3) + summary::kHeaderBytes + 3);
  const std::string original = readFile(file());
  const auto result =
      events("repair " + file().string() + " -o " + newFile().string());
  ASSERT_EQ(result.exitCode, 0) << result.output;
  EXPECT_EQ(readFile(file()), original);
  const auto after = tests::readEvents(newFile());
  ASSERT_EQ(after.size(), before.size() - 1);
  for (std::size_t i = 0; i < after.size(); ++i)
    EXPECT_EQ(after[i].SerializeAsString(),
              before[i < 3 ? i : i + 1].SerializeAsString());
}

TEST_F(EventsCommand, RepairNeverOverwrites) {
  const std::string original = readFile(file());
  const auto result =
      events("repair " + file().string() + " -o " + file().string());
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_EQ(readFile(file()), original);
}

TEST_F(EventsCommand, NothingIsWrittenOverAnInput) {
  const std::string original = readFile(file());
  const fs::path symlink = directory_.path() / "symlink.tfevents";
  const fs::path hardLink = directory_.path() / "hard-link.tfevents";
  fs::create_symlink(file(), symlink);
  fs::create_hard_link(file(), hardLink);
  for (const std::string command : {"export ", "cut ", "repair "})
    for (const fs::path &output : {file(), symlink, hardLink})
      for (const std::string force : {"", " --force"}) {
        const auto result = events(command + logs().string() + " -o " +
                                   output.string() + force);
        EXPECT_EQ(result.exitCode, 2) << command << output << force;
        EXPECT_EQ(result.output, "popscope: " + output.string() +
                                     ": is an input of this command; write to "
                                     "another file\n");
        EXPECT_EQ(readFile(file()), original) << command << output << force;
      }
}

TEST_F(EventsCommand, ExistingFilesAreReplacedOnlyIfForced) {
  const std::string log = logs().string();
  for (const std::string command : {"export ", "cut ", "repair "}) {
    directory_.file("new.tfevents.1", "old");
    const std::string arguments = command + log + " -o " + newFile().string();
    const auto refused = events(arguments);
    EXPECT_EQ(refused.exitCode, 2) << command;
    EXPECT_EQ(refused.output, "popscope: " + newFile().string() +
                                  ": exists already; --force replaces it\n");
    EXPECT_EQ(readFile(newFile()), "old") << command;
    EXPECT_EQ(events(arguments + " --force").exitCode, 0) << command;
    EXPECT_GT(fs::file_size(newFile()), 3u) << command;
  }
}

TEST_F(EventsCommand, ExistingPicturesAreReplacedOnlyIfForced) {
  const fs::path pictures = directory_.path() / "pictures";
  fs::create_directory(pictures);
  const fs::path picture = pictures / "train-digit-step2.png";
  directory_.file("pictures/train-digit-step2.png", "old");
  const std::string arguments =
      "export " + logs().string() + " --kind images -o " + pictures.string();
  EXPECT_EQ(events(arguments).exitCode, 2);
  EXPECT_EQ(readFile(picture), "old");
  EXPECT_EQ(events(arguments + " --force").exitCode, 0);
  EXPECT_THAT(readFile(picture), StartsWith("\x89PNG"));
}

TEST_F(EventsCommand, AFullDiskLeavesTheOldFileAndNoOther) {
  const std::string log = logs().string();
  fs::create_directory(directory_.path() / "out");
  const fs::path output = directory_.path() / "out/old.tfevents";
  directory_.file("out/old.tfevents", "old");
  for (const std::string command : {"export ", "cut ", "repair "}) {
    const auto result = tests::runCommand(
        "(ulimit -f 0; " + std::string(POPSCOPE_COMMAND) + " events " +
        command + log + " --force -o " + output.string() + ")");
    EXPECT_EQ(result.exitCode, 1) << command;
    EXPECT_THAT(result.output, StartsWith("popscope: " + output.string()));
    EXPECT_EQ(readFile(output), "old") << command;
    EXPECT_EQ(std::distance(fs::directory_iterator(output.parent_path()), {}),
              1)
        << command;
  }
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
  EXPECT_THAT(exported.output, HasSubstr("0.0,0,1.0\r\n0.0,2,1.0\r\n"));
  EXPECT_THAT(exported.output, HasSubstr("tag: left out 1 value not of"));
}

TEST_F(EventsCommand, AFileThatCannotBeReadDoesNotHideTheOthers) {
  // Opens, but its first byte is no memory: reading it is an error for the
  // superuser, too.
  fs::create_directory(logs() / "a");
  fs::create_symlink("/proc/self/mem", logs() / "a/1.tfevents");
  for (const std::string command : {"inspect ", "check ", "doctor "}) {
    const auto result = events(command + logs().string() + " --json");
    EXPECT_EQ(result.exitCode, 1) << command;
    EXPECT_THAT(result.output, HasSubstr("cannot be read: Input/output error"))
        << command;
    const auto parsed =
        tests::runCommand(std::string(POPSCOPE_COMMAND) + " events " + command +
                          logs().string() + " --json | python3 -m json.tool");
    EXPECT_EQ(parsed.exitCode, 0) << parsed.output;
  }
  for (const std::string command : {"cat ", "export "}) {
    const auto result = events(command + logs().string() + " --tag loss/test");
    EXPECT_EQ(result.exitCode, 1) << command;
    EXPECT_THAT(result.output, HasSubstr("1.tfevents: cannot be read"));
    EXPECT_THAT(result.output, HasSubstr("1600000004.0")) << command;
  }
  for (const std::string command : {"cut ", "repair "}) {
    const auto result =
        events(command + (logs() / "a").string() + " -o " + newFile().string());
    EXPECT_EQ(result.exitCode, 2) << command;
    EXPECT_FALSE(fs::exists(newFile())) << command;
  }
}

TEST_F(EventsCommand, CatPrintsEveryValueOfATag) {
  const auto result = events("cat " + logs().string() +
                             " --tag loss --from-step 1 --to-step 2");
  EXPECT_EQ(result.output, "train\t1600000002.0\t1\tscalars\tloss\t0.5\n"
                           "train\t1600000003.0\t2\tscalars\tloss\t"
                           "0.3333333432674408\n");
}

TEST_F(EventsCommand, CatKeepsEmptyCellsOfATable) {
  {
    EventWriter writer(logs() / "tables");
    writer.table(Tag("table"), Step(0), {{}, {{"", "b"}, {"c", ""}}});
  }
  EXPECT_THAT(events("cat " + logs().string() + " --tag table").output,
              HasSubstr("\ttext\ttable\t | b | c | \n"));
}

TEST_F(EventsCommand, CutKeepsStepsAndTagsAndTheirMetadata) {
  const auto result =
      events("cut " + logs().string() + " --from-step 2 --tag weights -o " +
             newFile().string());
  ASSERT_EQ(result.exitCode, 0) << result.output;
  const auto values = tests::valuesOf(tests::readEvents(newFile()), "weights");
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].metadata().plugin_data().plugin_name(), "histograms")
      << "readers honour the metadata of the first value only";
  EXPECT_THAT(events("inspect " + newFile().string()).output,
              HasSubstr("tag\t.\thistograms\tweights\t2\t2\t3\t"));
  EXPECT_THAT(events("inspect " + newFile().string()).output,
              Not(HasSubstr("loss")));
}

TEST_F(EventsCommand, ExportOfOneScalarIsTensorBoardsCsvAndJson) {
  const std::string log = logs().string();
  EXPECT_EQ(events("export " + log + " --tag loss/test").output,
            "Wall time,Step,Value\r\n"
            "1600000001.0,0,0.0\r\n"
            "1600000002.0,1,1.0\r\n"
            "1600000003.0,2,2.0\r\n"
            "1600000004.0,3,3.0\r\n");
  EXPECT_EQ(events("export " + log + " --tag loss/test --format json").output,
            "[[1600000001.0, 0, 0.0], [1600000002.0, 1, 1.0], "
            "[1600000003.0, 2, 2.0], [1600000004.0, 3, 3.0]]\n");
  EXPECT_EQ(events("export " + log + " --tag loss/test -o -").output,
            events("export " + log + " --tag loss/test").output);
}

TEST_F(EventsCommand, ExportOfSeveralScalarsNamesThem) {
  const auto result = events("export " + logs().string());
  EXPECT_THAT(result.output, StartsWith("Run,Tag,Wall time,Step,Value\r\n"));
  EXPECT_THAT(result.output,
              HasSubstr("train,loss/test,1600000002.0,1,1.0\r\n"));
  EXPECT_THAT(events("export " + logs().string() + " --json").output,
              StartsWith("[[\"train\", \"loss\", 1600000001.0, 0, 1.0], "
                         "[\"train\", \"loss/test\", 1600000001.0, 0, 0.0], "));
}

TEST_F(EventsCommand, ExportLeavesOutWhatARestartReplaced) {
  addResumedRun();
  const std::string run = (logs() / "resumed").string();
  const auto values = [&](const std::string &options) {
    return tests::runCommand(std::string(POPSCOPE_COMMAND) + " events export " +
                             run + options +
                             " | tail -n +2 | cut -d, -f2-3 | tr '\\r\\n' ' '")
        .output;
  };
  EXPECT_EQ(values(" 2>/dev/null"),
            "0,0.0  1,1.0  2,22.0  3,23.0  4,24.0  5,25.0  ");
  EXPECT_EQ(values(" --all"), "0,0.0  1,1.0  2,2.0  3,3.0  "
                              "2,22.0  3,23.0  4,24.0  5,25.0  ");
  const auto result =
      tests::runCommand("(" + std::string(POPSCOPE_COMMAND) +
                        " events export " + run + " >/dev/null)");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output, HasSubstr("2 points left out"));
}

TEST_F(EventsCommand, WhatWritesFilesTellsOfThemInJson) {
  const std::string run = (logs() / "train").string();
  const std::string made = "{\"path\": \"" + newFile().string() + "\", ";
  EXPECT_EQ(events("cut " + run + " --tag loss --json -o " + newFile().string())
                .output,
            made + "\"values\": 4, \"records\": 5}\n");
  fs::remove(newFile());
  EXPECT_THAT(
      events("repair " + run + " --json -o " + newFile().string()).output,
      StartsWith(made + "\"records\": "));
  const std::string pictures = (directory_.path() / "pictures").string();
  EXPECT_EQ(
      events("export " + run + " --kind images --json -o " + pictures).output,
      "{\"path\": \"" + pictures + "\", \"pictures\": 1}\n");
}

TEST_F(EventsCommand, EverySubcommandHelpsWithAnExample) {
  for (const std::string command :
       {"inspect", "check", "doctor", "cat", "cut", "repair", "export"}) {
    const auto result = events(command + " --help");
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_THAT(result.output, HasSubstr("\n  popscope events " + command))
        << command;
  }
}

TEST_F(EventsCommand, ADirectoryThatCannotBeReadIsBadInput) {
  if (::geteuid() == 0)
    GTEST_SKIP() << "the superuser can read any directory";
  fs::permissions(logs() / "train", fs::perms::none);
  for (const char *command : {"doctor ", "inspect ", "check "}) {
    const auto result = events(command + logs().string());
    EXPECT_EQ(result.exitCode, 2) << command;
    EXPECT_THAT(result.output, HasSubstr("Permission denied")) << command;
  }
  fs::permissions(logs() / "train", fs::perms::owner_all);
}

TEST_F(EventsCommand, ExportWritesHistogramsTextAndPictures) {
  const std::string log = logs().string();
  EXPECT_THAT(events("export " + log + " --kind histograms").output,
              StartsWith("Wall time,Step,Left,Right,Count\r\n"
                         "1600000001.0,0,0.0,2.0,2.0\r\n"
                         "1600000001.0,0,2.0,4.0,3.0\r\n"));
  EXPECT_THAT(events("export " + log + " --kind text").output,
              HasSubstr(",0,\"a, \"\"b\"\"\"\r\n"));
  const fs::path pictures = directory_.path() / "pictures";
  const auto result =
      events("export " + log + " --kind images -o " + pictures.string());
  ASSERT_EQ(result.exitCode, 0) << result.output;
  const auto values = tests::valuesOf(tests::readEvents(file()), "digit");
  EXPECT_EQ(readFile(pictures / "train-digit-step2.png"),
            values.at(0).tensor().string_val(2));
}

TEST_F(EventsCommand, RunsWithTabsAndNewlinesStayInTheirColumn) {
  fs::rename(logs() / "train", logs() / "a\tb\nc");
  EXPECT_THAT(events("inspect " + logs().string()).output,
              HasSubstr("tag\ta\\u0009b\\u000ac\tscalars\tloss\t4\t0\t3\t"));
  EXPECT_THAT(
      events("cat " + logs().string() + " --tag loss").output,
      StartsWith("a\\u0009b\\u000ac\t1600000001.0\t0\tscalars\tloss\t"));
  const auto checked = events("check " + logs().string()).output;
  EXPECT_EQ(std::count(checked.begin(), checked.end(), '\n'), 1) << checked;
}

TEST_F(EventsCommand, OutputThatCannotBeWrittenIsAFailure) {
  for (const std::string command : {"inspect ", "cat ", "check ", "export "}) {
    const auto result =
        tests::runCommand("(" + std::string(POPSCOPE_COMMAND) + " events " +
                          command + logs().string() + " >/dev/full)");
    EXPECT_EQ(result.exitCode, 1) << command;
    EXPECT_EQ(result.output, "popscope: standard output cannot be written\n")
        << command;
  }
}

TEST_F(EventsCommand, DamageIsAFailureOfWhateverReads) {
  damage(offsetOf(3) + 20);
  for (const std::string command :
       {"inspect ", "check ", "doctor ", "cat ", "export "})
    EXPECT_EQ(events(command + logs().string()).exitCode, 1) << command;
  const auto result = events("export " + logs().string() + " --tag loss/test");
  EXPECT_THAT(result.output, StartsWith("popscope: "));
  EXPECT_THAT(result.output, HasSubstr("do not match their CRC"));
  EXPECT_THAT(result.output, HasSubstr(",3,3.0\r\n")) << "what is left";
  EXPECT_EQ(
      events("cut " + logs().string() + " --tag loss -o " + newFile().string())
          .exitCode,
      1);
  EXPECT_TRUE(fs::exists(newFile()));
}

TEST_F(EventsCommand, EmptyFilesAreNotCalledWhole) {
  directory_.file("logs/train/empty.tfevents", "");
  const std::string log = logs().string();
  EXPECT_THAT(events("inspect " + log).output,
              HasSubstr("file\ttrain\tempty.tfevents\t0\t0\tempty\n"));
  const auto result = events("check " + log);
  EXPECT_THAT(result.output, HasSubstr("empty.tfevents: empty, 0 records\n"));
  EXPECT_EQ(result.exitCode, 0) << "a run that has just begun has such a file";
}

TEST_F(EventsCommand, PicturesHaveNamesThatCanBe) {
  const std::uint8_t pixels[] = {0};
  const summary::ImageView image{1, 1, summary::PixelFormat::grey, pixels};
  EventWriter writer(logs() / "train");
  std::string longTag;
  for (int i = 0; i < 150; ++i)
    longTag += "\xc3\xbc";
  for (const std::string &tag :
       {std::string("a/b"), std::string("a_b"), longTag})
    writer.image(Tag(tag), Step(1), image);
  ASSERT_EQ(writer.close(), summary::SinkError::none);
  const fs::path pictures = directory_.path() / "pictures";
  const auto result = events("export " + logs().string() +
                             " --kind images -o " + pictures.string());
  EXPECT_EQ(result.output, pictures.string() + ": 4 pictures\n");
  EXPECT_TRUE(fs::exists(pictures / "train-a_b-step1.png"));
  EXPECT_TRUE(fs::exists(pictures / "train-a_b-step1-2.png"));
  EXPECT_TRUE(fs::exists(pictures /
                         ("train-" + longTag.substr(0, 194) + "-step1.png")));
}

TEST_F(EventsCommand, WhatIsRefusedLeavesNoFile) {
  directory_.file("no.tfevents", "this is not an event file, but some text");
  const std::string log = logs().string();
  for (const std::string &arguments :
       {"cut " + log + " --tag nothing", "cut " + log + " --from-step 9",
        "repair " + (directory_.path() / "no.tfevents").string(),
        "export " + log + " --kind images --tag loss"}) {
    EXPECT_EQ(events(arguments + " -o " + newFile().string()).exitCode, 2)
        << arguments;
    EXPECT_FALSE(fs::exists(newFile())) << arguments;
  }
}

TEST_F(EventsCommand, BadInputIsRefusedInOneLine) {
  const auto expectRefused = [](const std::string &arguments,
                                const std::string &reason) {
    const auto result = events(arguments);
    EXPECT_EQ(result.exitCode, 2) << arguments;
    EXPECT_THAT(result.output, StartsWith("popscope: ")) << arguments;
    EXPECT_THAT(result.output, HasSubstr(reason)) << arguments;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1)
        << result.output;
  };
  const std::string log = logs().string();
  expectRefused("", "subcommand");
  expectRefused("inspect /nonexistent", "/nonexistent: no such file");
  expectRefused("inspect " POPSCOPE_DATA, "no event files");
  expectRefused("inspect " + log + " --run trian",
                "no run matches --run 'trian'; the nearest are train");
  expectRefused("check " + file().string() + " --run x",
                "no run matches --run 'x'; the nearest are .");
  const std::string nearest =
      log + ": no tag matches --tag 'los'; the nearest are loss, loss/test, ";
  expectRefused("cat " + log + " --tag los", nearest);
  expectRefused("cut " + log + " --tag los -o " + newFile().string(), nearest);
  EXPECT_EQ(events("inspect " + log + " --tag los").exitCode, 2);
  EXPECT_EQ(events("cat " + log + " --tag loss --tag los").exitCode, 2)
      << "each of them has to be there";
  expectRefused("cut " + log + " --from-step 4 --tag 'l*' -o " +
                    newFile().string(),
                "no value of those steps; the log has steps 0 to 3");
  expectRefused("cat " + log + " --from-step 2 --to-step 1", "--from-step 2");
  expectRefused("cut " + log + " -o " + directory_.path().string() + "/x",
                "tfevents");
  expectRefused("export " + log + " --tag weights",
                "no tag of kind scalars matches --tag 'weights'; the nearest "
                "are loss/test, loss");
  const std::string pipe = (directory_.path() / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string output = "-o " + newFile().string() + " ";
  for (const std::string &path : {pipe, std::string("/dev/zero")}) {
    const std::string reason = path + ": neither a file nor a directory";
    for (const char *command :
         {"inspect ", "check ", "doctor ", "cat ", "export "})
      expectRefused(command + path, reason);
    expectRefused("cut " + output + path, reason);
    expectRefused("repair " + output + path, reason);
  }
  expectRefused("export " + log + " --format xml", "xml");
  expectRefused("export " + log + " --kind images", "-o DIR");
  expectRefused("export " + log + " --kind images -o -", "-o DIR");
  EventWriter other(logs() / "other");
  expectRefused("repair " + log + " -o " + newFile().string(),
                "choose one with --run");
}

} // namespace
} // namespace popscope
