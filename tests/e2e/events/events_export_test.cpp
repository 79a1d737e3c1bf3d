#include "tests/e2e/events/events_log.hpp"
#include "tests/support/wav_parser.hpp"

namespace popscope {
namespace {

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

TEST_F(EventsCommand, BareExportOfAScalarIsTensorBoardsCsvAndJson) {
  const std::string log = logs().string() + " --bare";
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

TEST_F(EventsCommand, ExportHasTheSameColumnsForOneSeriesAndMany) {
  for (const std::string tags : {"", " --tag loss"}) {
    const auto result = events("export " + logs().string() + tags);
    EXPECT_THAT(result.output, StartsWith("Run,Tag,Wall time,Step,Value\r\n"
                                          "train,loss,1600000001.0,0,1.0\r\n"));
  }
  const auto result = events("export " + logs().string());
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
                             " | tail -n +2 | cut -d, -f4-5 | tr '\\r\\n' ' '")
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

TEST_F(EventsCommand, ExportWritesHistogramsTextAndPictures) {
  const std::string log = logs().string();
  EXPECT_THAT(events("export " + log + " --kind histograms --bare").output,
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

TEST_F(EventsCommand, ExportWritesSoundsAsTheFilesThatTheyAre) {
  const std::vector<float> samples = {0, 0.5F, -0.5F, 0.25F};
  {
    EventWriter writer(logs() / "sound");
    writer.audio(Tag("a/tone"), Step(3), {8000, 1, samples});
  }
  const fs::path sounds = directory_.path() / "sounds";
  const std::string arguments =
      "export " + logs().string() + " --kind audio -o " + sounds.string();
  const auto result = events(arguments);
  ASSERT_EQ(result.exitCode, 0) << result.output;
  EXPECT_EQ(result.output, sounds.string() + ": 1 sound\n");
  const auto wav = tests::parseWav(readFile(sounds / "sound-a_tone-step3.wav"));
  EXPECT_EQ(wav.sampleRate, 8000U);
  EXPECT_THAT(wav.samples, ::testing::ElementsAre(0, 16384, -16384, 8192));
  EXPECT_EQ(events(arguments + " --force --json").output,
            "{\"path\": \"" + sounds.string() + "\", \"sounds\": 1}\n");
}

TEST_F(EventsCommand, ExportOfSeveralPathsNamesThem) {
  addResumedRun();
  const std::string train = (logs() / "train").string();
  const std::string resumed = (logs() / "resumed").string();
  const auto result =
      events("export " + train + " " + resumed + "/ --tag loss 2>/dev/null");
  EXPECT_THAT(result.output,
              HasSubstr("\r\n" + train + ",loss,1600000001.0,0,1.0\r\n"));
  EXPECT_THAT(result.output, HasSubstr("\r\n" + resumed + ",loss,"));
}

} // namespace
} // namespace popscope
