#include "summary/proto/event.pb.h"
#include "summary/reading/decoded_value.hpp"
#include "summary/values/audio.hpp"
#include "summary/values/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::summary {
namespace {

using testing::ElementsAre;

// A value as a reader would find it.
struct Stored {
  Stored(const char *tag, const Value &value, bool withMetadata = true)
      : bytes(assemble(tag, value, withMetadata)) {}
  explicit Stored(const proto::Summary::Value &value)
      : bytes(value.SerializeAsString()) {}

  static std::string assemble(const char *tag, const Value &value,
                              bool withMetadata) {
    proto::Summary::Value message;
    EXPECT_TRUE(message.ParseFromString(value.body));
    message.set_tag(tag);
    if (withMetadata) {
      EXPECT_TRUE(message.mutable_metadata()->ParseFromString(
          value.metadata.serialized()));
    }
    return message.SerializeAsString();
  }
  ValueView view() const { return *ValueView::parse(bytes); }

  std::string bytes;
};

std::optional<std::vector<double>> numbersOf(const proto::TensorProto &tensor) {
  const auto decoded = decodeTensor(tensor.SerializeAsString());
  if (!decoded)
    return std::nullopt;
  return decoded->numbers;
}

TEST(DecodedValue, WhatWeWriteComesBack) {
  EXPECT_EQ(decodeScalar(Stored("a", toValue(2.5F)).view()), 2.5);
  const std::vector<float> values{1, 2, 4};
  const auto histogram =
      decodeHistogram(Stored("a", toValue(uniformHistogram(values, 3))).view());
  ASSERT_TRUE(histogram);
  ASSERT_EQ(histogram->buckets.size(), 3u);
  EXPECT_EQ(histogram->buckets[2].count, 1);
  const std::uint8_t pixel = 7;
  const auto images = decodeImages(
      Stored("a", toValue(ImageView{1, 1, PixelFormat::grey, &pixel})).view());
  ASSERT_TRUE(images);
  EXPECT_EQ(images->size(), 1u);
  const auto clips =
      decodeAudio(Stored("a", toValue(AudioClip{8000, 1, values})).view());
  ASSERT_TRUE(clips);
  EXPECT_EQ(clips->at(0), encodeWav({8000, 1, values}));
  EXPECT_THAT(decodeText(Stored("a", toValue(Markdown{"hi"})).view())->elements,
              ElementsAre("hi"));
}

TEST(DecodedValue, OfAnotherKindIsEmpty) {
  const Stored scalar("a", toValue(1.0F));
  const Stored text("a", toValue(Markdown{"hi"}));
  EXPECT_FALSE(decodeScalar(text.view()));
  EXPECT_FALSE(decodeHistogram(scalar.view()));
  EXPECT_FALSE(decodeImages(text.view()));
  EXPECT_FALSE(decodeAudio(scalar.view()));
  EXPECT_FALSE(decodeText(scalar.view()));
}

TEST(DecodedTensor, TakesListsAndRawContentOfEveryType) {
  proto::TensorProto tensor;
  tensor.mutable_tensor_shape()->add_dim()->set_size(2);
  const auto expectBoth = [&](proto::DataType type, auto addList,
                              const std::string &raw) {
    proto::TensorProto list = tensor;
    list.set_dtype(type);
    addList(list);
    EXPECT_EQ(numbersOf(list), (std::vector<double>{1, 2})) << type;
    proto::TensorProto content = tensor;
    content.set_dtype(type);
    content.set_tensor_content(raw);
    EXPECT_EQ(numbersOf(content), (std::vector<double>{1, 2})) << type;
  };
  const auto raw = [](auto one, auto two) {
    std::string bytes(sizeof one + sizeof two, '\0');
    std::memcpy(bytes.data(), &one, sizeof one);
    std::memcpy(bytes.data() + sizeof one, &two, sizeof two);
    return bytes;
  };
  const auto ints = [](proto::TensorProto &t) {
    t.add_int_val(1);
    t.add_int_val(2);
  };
  expectBoth(
      proto::DT_FLOAT,
      [](auto &t) {
        t.add_float_val(1);
        t.add_float_val(2);
      },
      raw(1.0F, 2.0F));
  expectBoth(
      proto::DT_DOUBLE,
      [](auto &t) {
        t.add_double_val(1);
        t.add_double_val(2);
      },
      raw(1.0, 2.0));
  expectBoth(proto::DT_INT8, ints, raw(std::int8_t(1), std::int8_t(2)));
  expectBoth(proto::DT_UINT8, ints, raw(std::uint8_t(1), std::uint8_t(2)));
  expectBoth(proto::DT_INT16, ints, raw(std::int16_t(1), std::int16_t(2)));
  expectBoth(proto::DT_UINT16, ints, raw(std::uint16_t(1), std::uint16_t(2)));
  expectBoth(proto::DT_INT32, ints, raw(1, 2));
  expectBoth(
      proto::DT_INT64,
      [](auto &t) {
        t.add_int64_val(1);
        t.add_int64_val(2);
      },
      raw(std::int64_t(1), std::int64_t(2)));
  expectBoth(
      proto::DT_UINT32,
      [](auto &t) {
        t.add_uint32_val(1);
        t.add_uint32_val(2);
      },
      raw(1u, 2u));
  expectBoth(
      proto::DT_UINT64,
      [](auto &t) {
        t.add_uint64_val(1);
        t.add_uint64_val(2);
      },
      raw(std::uint64_t(1), std::uint64_t(2)));
  expectBoth(
      proto::DT_HALF,
      [](auto &t) {
        t.add_half_val(0x3c00);
        t.add_half_val(0x4000);
      },
      raw(std::uint16_t(0x3c00), std::uint16_t(0x4000)));
  expectBoth(
      proto::DT_BFLOAT16,
      [](auto &t) {
        t.add_half_val(0x3f80);
        t.add_half_val(0x4000);
      },
      raw(std::uint16_t(0x3f80), std::uint16_t(0x4000)));
}

TEST(DecodedTensor, OneElementStandsForAll) {
  proto::TensorProto tensor;
  tensor.set_dtype(proto::DT_FLOAT);
  tensor.mutable_tensor_shape()->add_dim()->set_size(3);
  tensor.add_float_val(5);
  EXPECT_EQ(numbersOf(tensor), (std::vector<double>{5, 5, 5}));
}

TEST(DecodedTensor, ShapesThatAskForTooMuchAreRefused) {
  proto::TensorProto tensor;
  tensor.set_dtype(proto::DT_FLOAT);
  tensor.add_float_val(5);
  auto *dim = tensor.mutable_tensor_shape()->add_dim();
  for (const std::int64_t size : {std::int64_t(-1), std::int64_t(1) << 40,
                                  std::numeric_limits<std::int64_t>::max()}) {
    dim->set_size(size);
    EXPECT_FALSE(numbersOf(tensor)) << size;
  }
  tensor.mutable_tensor_shape()->add_dim()->set_size(4);
  EXPECT_FALSE(numbersOf(tensor)) << "the product overflows";
}

TEST(DecodedTensor, ContentThatDoesNotMatchTheShapeIsRefused) {
  proto::TensorProto tensor;
  tensor.set_dtype(proto::DT_FLOAT);
  tensor.mutable_tensor_shape()->add_dim()->set_size(2);
  tensor.set_tensor_content("12345");
  EXPECT_FALSE(numbersOf(tensor));
  tensor.set_dtype(proto::DT_STRING);
  EXPECT_FALSE(decodeTensor(tensor.SerializeAsString()));
  EXPECT_FALSE(decodeTensor("\xff"));
}

TEST(TagKinds, RememberWhatAFirstValueSaid) {
  TagKinds kinds;
  const Value text = toValue(Markdown{"hi"});
  EXPECT_EQ(kinds(Stored("a", text).view()), ValueKind::text);
  EXPECT_EQ(kinds(Stored("a", text, false).view()), ValueKind::text);
  EXPECT_EQ(kinds(Stored("b", text, false).view()), ValueKind::tensor);
  EXPECT_EQ(kinds(Stored("c", toValue(1.0F), false).view()), ValueKind::scalar);
  proto::Summary::Value empty;
  empty.set_tag("d");
  EXPECT_EQ(kinds(Stored(empty).view()), ValueKind::none);
}

} // namespace
} // namespace popscope::summary
