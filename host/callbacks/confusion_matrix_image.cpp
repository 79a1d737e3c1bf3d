#include "host/callbacks/confusion_matrix_image.hpp"

#include "host/metrics/confusion_matrix.hpp"
#include "host/pictures/confusion_matrix_picture.hpp"

namespace popscope::host {

ConfusionMatrixImage::ConfusionMatrixImage(
    std::shared_ptr<summary::EventWriter> writer, Stagger stagger,
    const Dataset &test, std::vector<std::string> classNames)
    : StaggeredCallback(stagger, kWantsTestPredictions),
      writer_(std::move(writer)), test_(test),
      classNames_(std::move(classNames)) {}

void ConfusionMatrixImage::dueEpochEnd(const EpochResult &result) {
  const ConfusionMatrix matrix(*result.testPredictions, test_.labels);
  const summary::Image picture = drawConfusionMatrix(matrix, classNames_);
  writer_->image(summary::Tag("Confusion Matrix"),
                 summary::Step(result.epoch.index()), picture.view());
}

} // namespace popscope::host
