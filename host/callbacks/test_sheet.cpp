#include "host/callbacks/test_sheet.hpp"

#include "host/pictures/digit_sheet.hpp"

namespace popscope::host {

namespace {

constexpr std::size_t kSheetSide = 10;
constexpr std::size_t kOutputRows = 35;

} // namespace

TestSheet::TestSheet(std::shared_ptr<summary::EventWriter> writer,
                     Stagger stagger, const TrainingData &data)
    : StaggeredCallback(stagger, kWantsTestPredictions),
      writer_(std::move(writer)), data_(data) {}

void TestSheet::trainBegin() {
  writer_->image(summary::Tag("Training Data"), summary::Step(0),
                 drawDigitSheet(data_.train, kSheetSide, kSheetSide).view());
}

void TestSheet::dueEpochEnd(const EpochResult &result) {
  const summary::Step step(result.epoch.number());
  const Predictions &predictions = *result.testPredictions;
  writer_->image(
      summary::Tag("Step " + std::to_string(step.value()) +
                   " Accuracy Testsheet"),
      step,
      drawDigitSheet(data_.test, kSheetSide, kSheetSide, &predictions).view());
  writer_->image(summary::Tag("Model Output"), step,
                 drawModelOutput(predictions, kOutputRows).view());
}

} // namespace popscope::host
