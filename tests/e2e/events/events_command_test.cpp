#include "tests/e2e/events/events_log.hpp"

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

namespace popscope {
namespace {

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

TEST_F(EventsCommand, SeveralPathsAreReadInTurnAndEachOnce) {
  const std::string train = (logs() / "train").string();
  const std::string paths = train + " " + logs().string() + " " + train;
  EXPECT_EQ(events("inspect " + paths + " --tag loss | grep ^tag").output,
            "tag\t" + train + "\tscalars\tloss\t4\t0\t3\t0\t16\n");
  const std::string copy = (directory_.path() / "copy").string();
  fs::copy(logs() / "train", copy);
  const std::string both = train + " " + copy;
  EXPECT_EQ(events("cat " + both + " --tag loss --to-step 0").output,
            train + "\t1600000001.0\t0\tscalars\tloss\t1.0\n" + copy +
                "\t1600000001.0\t0\tscalars\tloss\t1.0\n");
  const auto checked = events("check " + both).output;
  EXPECT_EQ(std::count(checked.begin(), checked.end(), '\n'), 2) << checked;
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
  for (const std::string command : {"inspect", "check", "doctor", "cat", "cut",
                                    "repair", "merge", "export"}) {
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
  expectRefused("export " + log + " --bare", "has 2 such series");
  expectRefused("export " + log + " --kind audio -o x", "no tag of kind audio");
  expectRefused("check " + log + " /nonexistent", "/nonexistent: no such file");
  expectRefused("cat --follow /dev/null", "neither a file nor a directory");
  expectRefused("repair " + log + " " + log + " " + output, "PATH");
  expectRefused("export " + log + " --kind images", "-o DIR");
  expectRefused("export " + log + " --kind images -o -", "-o DIR");
  EventWriter other(logs() / "other");
  expectRefused("repair " + log + " -o " + newFile().string(),
                "choose one with --run");
}

} // namespace
} // namespace popscope
