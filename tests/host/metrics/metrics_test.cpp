// Against what Keras and scikit-learn say; make_metric_references.py asked
// them.
#include "host/metrics/confusion_matrix.hpp"
#include "host/metrics/metrics.hpp"
#include "tests/support/reference_file.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace popscope::host {
namespace {

using testsupport::ReferenceCase;

std::vector<ReferenceCase> cases() {
  return testsupport::ReferenceReader(POPSCOPE_TEST_DATA "/host/metrics.ref.gz")
      .cases();
}

constexpr MetricChoice kAll{true, 3};

TEST(Metrics, AgreeWithKeras) {
  for (const ReferenceCase &item : cases()) {
    const auto classes = unsigned(item.number("classes"));
    const auto labels = item.list<unsigned>("labels");
    const std::vector<float> &probabilities =
        item.array("probabilities").floats;
    MetricSet set(classes, kAll);
    set.add(probabilities.data(), labels.data(), 7);
    set.add(probabilities.data() + 7 * classes, labels.data() + 7,
            labels.size() - 7);
    const MetricValues values = set.values();
    const std::vector<float> &expected = item.array("values").floats;
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values[i].value, expected[i], 2e-6 * (1 + expected[i]))
          << item.text("name") << ": " << values[i].name;
  }
}

TEST(Metrics, AucComesNearTheExactAreaForAModelThatSpreadsItsAnswers) {
  for (const ReferenceCase &item : cases()) {
    if (item.text("name") != "a fair model")
      continue;
    const auto labels = item.list<unsigned>("labels");
    MetricSet set(unsigned(item.number("classes")), kAll);
    set.add(item.array("probabilities").floats.data(), labels.data(),
            labels.size());
    EXPECT_NEAR(set.values()[2].value, item.array("exact_auc").floats[0], 1e-3);
  }
}

TEST(Metrics, ConfusionMatrixAgreesWithScikitLearn) {
  for (const ReferenceCase &item : cases()) {
    const Predictions predictions{unsigned(item.number("classes")),
                                  item.array("probabilities").floats};
    const ConfusionMatrix matrix(predictions, item.list<unsigned>("labels"));
    const auto expected = item.list<std::size_t>("confusion");
    for (unsigned label = 0; label < predictions.classes; ++label)
      for (unsigned answer = 0; answer < predictions.classes; ++answer)
        EXPECT_EQ(matrix.count(label, answer),
                  expected[label * predictions.classes + answer])
            << item.text("name") << " " << label << " " << answer;
  }
}

TEST(Metrics, NamesAreThoseOfKeras) {
  std::vector<std::string> names;
  for (const Metric &metric : MetricSet(10, kAll).values())
    names.push_back(metric.name);
  EXPECT_EQ(names, (std::vector<std::string>{"loss", "accuracy", "auc",
                                             "top_k_categorical_accuracy"}));
  EXPECT_EQ(MetricSet(10, {}).values().size(), 2u);
}

TEST(Metrics, LossesOfTheDeviceAreTakenAsTheyAre) {
  MetricSet set(2, {});
  const float probabilities[] = {0.5f, 0.5f, 0.25f, 0.75f};
  const unsigned labels[] = {0, 1};
  const float losses[] = {1.0f, 3.0f};
  set.add(probabilities, labels, 2, losses);
  EXPECT_EQ(set.values()[0].value, 2.0);
}

TEST(Metrics, NothingAddedIsZero) {
  MetricSet set(10, kAll);
  const float probabilities[10] = {1.0f};
  const unsigned label = 0;
  set.add(probabilities, &label, 1);
  set.reset();
  for (const Metric &metric : set.values())
    EXPECT_EQ(metric.value, 0.0) << metric.name;
}

TEST(Metrics, NanIsNeverRight) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float probabilities[] = {nan, nan, nan, nan};
  const unsigned label = 2;
  MetricSet set(4, kAll);
  set.add(probabilities, &label, 1);
  EXPECT_EQ(set.values()[1].value, 0.0);
  EXPECT_EQ(set.values()[3].value, 0.0);
}

TEST(Metrics, StateGoesOnWhereItWas) {
  const float probabilities[] = {0.1f, 0.9f, 0.6f, 0.4f};
  const unsigned labels[] = {1, 1};
  MetricSet whole(2, kAll), part(2, kAll), rest(2, kAll);
  whole.add(probabilities, labels, 2);
  part.add(probabilities, labels, 1);
  rest.setState(part.state());
  rest.add(probabilities + 2, labels + 1, 1);
  EXPECT_EQ(rest.state(), whole.state());
  EXPECT_THROW(rest.setState({1.0, 2.0}), std::invalid_argument);
}

TEST(ConfusionMatrix, SharesOfALabelHaveTwoDecimals) {
  ConfusionMatrix matrix(3);
  for (unsigned answer = 0; answer < 3; ++answer)
    matrix.add(1, answer);
  EXPECT_EQ(matrix.share(1, 0), 0.33);
  EXPECT_EQ(matrix.share(0, 0), 0.0) << "no image of this label";
}

} // namespace
} // namespace popscope::host
