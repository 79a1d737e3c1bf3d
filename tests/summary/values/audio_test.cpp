#include "summary/proto/event.pb.h"
#include "summary/values/audio.hpp"
#include "tests/support/wav_parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace popscope::summary {
namespace {

using testing::ElementsAre;

TEST(Wav, HoldsTheSamplesRoundedAndClipped) {
  const std::vector<float> samples{0,
                                   0.5F,
                                   -0.5F,
                                   1,
                                   -1,
                                   2,
                                   std::numeric_limits<float>::quiet_NaN(),
                                   -std::numeric_limits<float>::infinity()};
  const auto wav = tests::parseWav(encodeWav({44100, 2, samples}));
  EXPECT_EQ(wav.format, 1);
  EXPECT_EQ(wav.channels, 2);
  EXPECT_EQ(wav.sampleRate, 44100u);
  EXPECT_EQ(wav.byteRate, 44100u * 4);
  EXPECT_EQ(wav.blockAlign, 4);
  EXPECT_EQ(wav.bitsPerSample, 16);
  EXPECT_THAT(wav.samples,
              ElementsAre(0, 16384, -16384, 32767, -32768, 32767, 0, -32768));
}

TEST(Wav, RefusesWhatIsNoClip) {
  const std::vector<float> three(3);
  EXPECT_THROW(encodeWav({8000, 2, three}), std::invalid_argument);
  EXPECT_THROW(encodeWav({8000, 0, three}), std::invalid_argument);
  EXPECT_THROW(encodeWav({0, 1, three}), std::invalid_argument);
  EXPECT_THROW(encodeWav({8000, 1, {}}), std::invalid_argument);
}

TEST(Audio, ValueSaysThatItIsWav) {
  const std::vector<float> samples(10);
  const Value value = toValue(AudioClip{8000, 1, samples});
  EXPECT_EQ(value.metadata.plugin, "audio");
  EXPECT_EQ(value.metadata.content, "\x10\x0b");
  proto::Summary::Value message;
  ASSERT_TRUE(message.ParseFromString(value.body));
  EXPECT_EQ(message.tensor().tensor_shape().dim(0).size(), 1);
  EXPECT_EQ(tests::parseWav(message.tensor().string_val(0)).samples.size(),
            10u);
}

} // namespace
} // namespace popscope::summary
