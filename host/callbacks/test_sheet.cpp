#include "host/callbacks/test_sheet.hpp"

#include "host/pictures/digit_sheet.hpp"
#include "host/pictures/model_output_picture.hpp"

namespace popscope::host {

namespace {

constexpr std::size_t kSheetSide = 10;
constexpr std::size_t kOutputRows = 35;

} // namespace

TestSheet::TestSheet(std::shared_ptr<summary::EventWriter> writer,
                     Stagger stagger, const TrainingData &data,
                     Epoch firstEpoch)
    : StaggeredCallback(stagger, kWantsTestPredictions),
      writer_(std::move(writer)), data_(data), firstEpoch_(firstEpoch) {}

void TestSheet::trainBegin() {
  if (firstEpoch_.index() > 0)
    return;
  writer_->image(summary::Tag("Training Data"), summary::Step(0),
                 drawDigitSheet(data_.sample, kSheetSide, kSheetSide).view());
}

void TestSheet::dueEpochEnd(const EpochResult &result) {
  const summary::Step step(result.epoch.number());
  const Predictions &predictions = *result.testPredictions;
  writer_->image(
      summary::Tag("Step " + std::to_string(step.value()) +
                   " Accuracy Testsheet"),
      step,
      drawDigitSheet(data_.test, kSheetSide, kSheetSide, &predictions).view());
  const summary::Image logits =
      drawLogits(predictions, data_.test.labels, kOutputRows);
  const summary::Image answers =
      drawAnswers(predictions, data_.test.labels, kOutputRows);
  writer_->images(summary::Tag("Model Output"), step,
                  {logits.view(), answers.view()});
}

} // namespace popscope::host
