// Files written by TensorFlow, PyTorch and tensorboardX, against what
// TensorBoard's own reader sees in them (make_foreign_logs.py).
#include "summary/proto/event.pb.h"
#include "summary/reading/decoded_value.hpp"
#include "summary/reading/event_reader.hpp"
#include "summary/values/pr_curve.hpp"
#include "tests/support/hex.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace popscope::summary {
namespace {

namespace fs = std::filesystem;

const fs::path kData(POPSCOPE_TEST_DATA);

struct Expected {
  std::string file;
  std::int64_t step;
  std::string tag, kind;
  std::vector<std::string> content;
};

std::vector<Expected> readExpected() {
  std::ifstream file(kData / "expected.txt");
  std::vector<Expected> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Expected expected;
    std::string step, content;
    std::getline(fields, expected.file, '\t');
    std::getline(fields, step, '\t');
    std::getline(fields, expected.tag, '\t');
    std::getline(fields, expected.kind, '\t');
    expected.step = std::stoll(step);
    while (fields >> content)
      expected.content.push_back(content);
    all.push_back(expected);
  }
  return all;
}

std::vector<double> numbers(const std::vector<std::string> &texts) {
  std::vector<double> result;
  for (const auto &text : texts)
    result.push_back(std::strtod(text.c_str(), nullptr));
  return result;
}

std::vector<std::string> blobs(const std::vector<std::string> &texts) {
  std::vector<std::string> result;
  for (const auto &text : texts)
    result.push_back(tests::fromHex(text));
  return result;
}

void expectEqual(const ValueView &value, ValueKind kind,
                 const Expected &expected) {
  EXPECT_EQ(value.tag, expected.tag);
  if (expected.kind == "scalars") {
    EXPECT_EQ(kind, ValueKind::scalar);
    EXPECT_EQ(decodeScalar(value), numbers(expected.content)[0]);
  } else if (expected.kind == "histograms") {
    EXPECT_EQ(kind, ValueKind::histogram);
    const auto histogram = decodeHistogram(value);
    const auto rows = numbers(expected.content);
    ASSERT_TRUE(histogram);
    ASSERT_EQ(3 * histogram->buckets.size(), rows.size());
    // TensorBoard converts older histograms to float.
    const bool isOlder = value.form == ValueView::Form::histogram;
    const auto seen = [isOlder](double number) {
      return isOlder ? double(float(number)) : number;
    };
    for (std::size_t i = 0; i < histogram->buckets.size(); ++i) {
      EXPECT_EQ(seen(histogram->buckets[i].left), rows[3 * i]);
      EXPECT_EQ(seen(histogram->buckets[i].right), rows[3 * i + 1]);
      EXPECT_EQ(seen(histogram->buckets[i].count), rows[3 * i + 2]);
    }
  } else if (expected.kind == "images") {
    EXPECT_EQ(kind, ValueKind::image);
    const auto images = decodeImages(value);
    ASSERT_TRUE(images);
    ASSERT_EQ(images->size(), 1u);
    EXPECT_EQ(images->at(0).width, 2u);
    EXPECT_EQ(images->at(0).height, 2u);
    EXPECT_EQ(images->at(0).bytes, blobs(expected.content)[0]);
  } else if (expected.kind == "audio") {
    EXPECT_EQ(kind, ValueKind::audio);
    EXPECT_EQ(decodeAudio(value), blobs(expected.content));
  } else if (expected.kind == "text") {
    EXPECT_EQ(kind, ValueKind::text);
    const auto text = decodeText(value);
    ASSERT_TRUE(text);
    EXPECT_EQ(text->elements, blobs(expected.content));
  } else if (expected.kind == "pr_curves") {
    EXPECT_EQ(kind, ValueKind::prCurve);
    const auto curve = decodeTensor(value.content);
    ASSERT_TRUE(curve);
    EXPECT_EQ(curve->numbers, numbers(expected.content));
  } else {
    ADD_FAILURE() << "unknown kind " << expected.kind;
  }
}

TEST(ForeignFiles, AreReadAsTensorBoardReadsThem) {
  std::map<std::string, std::vector<Expected>> byFile;
  for (const auto &expected : readExpected())
    if (expected.kind != "data")
      byFile[expected.file].push_back(expected);
  ASSERT_EQ(byFile.size(), 4u);
  for (const auto &[name, expectations] : byFile) {
    SCOPED_TRACE(name);
    EventReader reader(kData / name);
    TagKinds kinds;
    auto expected = expectations.begin();
    while (const auto event = reader.next()) {
      if (event->kind == EventKind::graphDef) {
        ASSERT_NE(expected, expectations.end());
        EXPECT_EQ(event->content, blobs(expected->content)[0]);
        ++expected;
      }
      for (ValueCursor values(*event); const auto value = values.next();) {
        ASSERT_NE(expected, expectations.end());
        EXPECT_EQ(event->step, expected->step);
        expectEqual(*value, kinds(*value), *expected);
        ++expected;
      }
    }
    EXPECT_EQ(reader.state(), ReadState::end);
    EXPECT_EQ(expected, expectations.end()) << "values were skipped";
  }
}

// What went into the values, or what came of them.
std::vector<double> contentOf(const std::string &file, const std::string &tag) {
  for (const auto &expected : readExpected())
    if (expected.file == file && expected.tag == tag)
      return numbers(expected.content);
  ADD_FAILURE() << "no " << tag << " of " << file;
  return {};
}

template <class T> std::vector<T> dataOf(const std::string &tag) {
  const auto content = contentOf("data", tag);
  return {content.begin(), content.end()};
}

TEST(ForeignFiles, OurBucketsAreTensorFlowsBuckets) {
  const auto rows = contentOf("tensorflow_2.tfevents", "weights");
  const Histogram histogram = uniformHistogram(dataOf<float>("weights"));
  ASSERT_EQ(3 * histogram.buckets.size(), rows.size());
  for (std::size_t i = 0; i < histogram.buckets.size(); ++i) {
    EXPECT_DOUBLE_EQ(histogram.buckets[i].left, rows[3 * i]);
    EXPECT_DOUBLE_EQ(histogram.buckets[i].right, rows[3 * i + 1]);
    EXPECT_EQ(histogram.buckets[i].count, rows[3 * i + 2]);
  }
}

TEST(ForeignFiles, OurPrCurveIsTensorBoardsPrCurve) {
  proto::Summary::Value value;
  ASSERT_TRUE(
      value.ParseFromString(toValue(prCurve(dataOf<std::uint8_t>("labels"),
                                            dataOf<float>("predictions")))
                                .body));
  const auto ours = decodeTensor(value.tensor().SerializeAsString());
  ASSERT_TRUE(ours);
  EXPECT_EQ(ours->shape, (Shape{6, 201}));
  EXPECT_EQ(ours->numbers,
            contentOf("tensorflow_2.tfevents", "curve/pr_curves"));
}

} // namespace
} // namespace popscope::summary
