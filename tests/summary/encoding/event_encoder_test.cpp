#include "summary/encoding/event_encoder.hpp"
#include "summary/encoding/event_fields.hpp"
#include "summary/encoding/serialize.hpp"
#include "summary/proto/event.pb.h"
#include "summary/values/value.hpp"
#include "tests/support/hex.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace popscope::summary {
namespace {

std::string encodeScalar(double time, std::int64_t step, const std::string &tag,
                         float scalar, const std::string &metadata = {}) {
  const std::string body = toValue(scalar).body;
  const EncodedValue value{tag, body, metadata};
  const std::size_t content = entryBytes(value);
  std::string bytes(eventBytes(Step(step), content), '\0');
  char *const to = encodeEventHead(
      WallTime(time), Step(step), fields::kEventSummary, content, bytes.data());
  EXPECT_EQ(encodeEntry(value, to), bytes.data() + bytes.size());
  return bytes;
}

TEST(EventEncoder, ScalarHasTheBytesOfTheSpecification) {
  EXPECT_EQ(tests::toHex(encodeScalar(1600000001.0, 7, "loss", 0.5F)),
            tests::toHex(tests::fromHex(
                "09 00 00 40 00 84 d7 d7 41 10 07 2a 0d 0a 0b 0a 04 6c 6f 73 "
                "73 15 00 00 00 3f")));
}

TEST(EventEncoder, ScalarIsWhatProtobufWouldWrite) {
  const std::vector<std::string> tags{"a", std::string(127, 'b'),
                                      std::string(20000, 'c')};
  for (const std::int64_t step :
       {std::int64_t(0), std::int64_t(1), std::int64_t(127), std::int64_t(128),
        std::int64_t(1) << 40, std::numeric_limits<std::int64_t>::max(),
        std::int64_t(-1)})
    for (const std::string &tag : tags)
      for (const float scalar :
           {0.0F, -1.5F, 3.4e38F, std::numeric_limits<float>::infinity()})
        for (const bool described : {false, true}) {
          proto::Event event;
          event.set_wall_time(1700000000.25);
          event.set_step(step);
          auto *value = event.mutable_summary()->add_value();
          value->set_tag(tag);
          value->set_simple_value(scalar);
          const ValueMetadata metadata{"scalars", "", "Loss", "of *training*"};
          if (described) {
            ASSERT_TRUE(value->mutable_metadata()->ParseFromString(
                metadata.serialized()));
          }
          ASSERT_EQ(encodeScalar(1700000000.25, step, tag, scalar,
                                 described ? metadata.serialized() : ""),
                    event.SerializeAsString())
              << step << ' ' << tag.size();
        }
}

TEST(EventEncoder, TagsOfAllShortLengthsAreWhole) {
  std::string tag;
  while (tag.size() < 40) {
    tag += static_cast<char>('A' + tag.size());
    proto::Event event;
    ASSERT_TRUE(event.ParseFromString(encodeScalar(1, 2, tag, 0.5F)));
    ASSERT_EQ(event.summary().value(0).tag(), tag);
    ASSERT_EQ(event.summary().value(0).simple_value(), 0.5F);
  }
}

TEST(EventEncoder, FieldNumbersAreThoseOfTheProto) {
  const auto number = [](const char *name) {
    return static_cast<unsigned>(
        proto::Event::descriptor()->FindFieldByName(name)->number());
  };
  EXPECT_EQ(number("wall_time"), fields::kEventWallTime);
  EXPECT_EQ(number("step"), fields::kEventStep);
  EXPECT_EQ(number("file_version"), fields::kEventFileVersion);
  EXPECT_EQ(number("graph_def"), fields::kEventGraphDef);
  EXPECT_EQ(number("summary"), fields::kEventSummary);
  EXPECT_EQ(number("session_log"), fields::kEventSessionLog);
  EXPECT_EQ(number("tagged_run_metadata"), fields::kEventTaggedRunMetadata);
  EXPECT_EQ(number("meta_graph_def"), fields::kEventMetaGraphDef);
  EXPECT_EQ(number("source_metadata"), fields::kEventSourceMetadata);
}

// The form with a tensor, which TensorFlow 2 writes, from our own messages.
TEST(EventEncoder, TensorScalarHasTheBytesOfTheSpecification) {
  proto::Event event;
  event.set_wall_time(1600000001.0);
  event.set_step(7);
  auto *value = event.mutable_summary()->add_value();
  value->set_tag("loss");
  auto *tensor = value->mutable_tensor();
  tensor->set_dtype(proto::DT_FLOAT);
  tensor->mutable_tensor_shape();
  tensor->add_float_val(0.5F);
  value->mutable_metadata()->mutable_plugin_data()->set_plugin_name("scalars");
  EXPECT_EQ(tests::toHex(serialize(event)),
            tests::toHex(tests::fromHex(
                "09 00 00 40 00 84 d7 d7 41 10 07 2a 21 0a 1f 0a 04 6c 6f 73 "
                "73 42 0a 08 01 12 00 2a 04 00 00 00 3f 4a 0b 0a 09 0a 07 73 "
                "63 61 6c 61 72 73")));
}

} // namespace
} // namespace popscope::summary
