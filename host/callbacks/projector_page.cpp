#include "host/callbacks/projector_page.hpp"

#include "summary/values/projector.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace popscope::host {

namespace {

// Dark on white, so that each stands out from the page's dark points.
std::vector<std::uint8_t> picturesOf(const Dataset &set, std::size_t images) {
  std::vector<std::uint8_t> pixels(images * set.imagePixels());
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = std::uint8_t(
        255 -
        std::lround(std::min(1.0f, float(set.pixels[i]) * set.scale) * 255.0f));
  return pixels;
}

} // namespace

ProjectorPage::ProjectorPage(std::filesystem::path runDirectory,
                             unsigned epochs, const Dataset &test,
                             std::size_t images,
                             std::vector<std::string> classNames)
    : runDirectory_(std::move(runDirectory)), epochs_(epochs), test_(test),
      images_(images), classNames_(std::move(classNames)) {}

Wants ProjectorPage::wants(Epoch epoch) const {
  return isLast(epoch) ? kWantsTestPredictions : Wants();
}

void ProjectorPage::epochEnd(const EpochResult &result) {
  if (!isLast(result.epoch))
    return;
  const Predictions &predictions = *result.testPredictions;
  const std::vector<std::uint8_t> pixels = picturesOf(test_, images_);

  summary::Embedding embedding{};
  embedding.dimensions = predictions.classes;
  embedding.columns = {"label", "answer", "right"};
  for (std::size_t i = 0; i < images_; ++i) {
    const unsigned answer = predictions.answer(i);
    embedding.labels.push_back({classNames_[test_.labels[i]],
                                classNames_[answer],
                                answer == test_.labels[i] ? "yes" : "no"});
    embedding.pictures.push_back(
        {std::uint32_t(test_.columns), std::uint32_t(test_.rows),
         summary::PixelFormat::grey, pixels.data() + i * test_.imagePixels()});
  }
  const std::size_t elements = images_ * predictions.classes;
  summary::Embedding logits = embedding, probabilities = embedding;
  logits.name = "logits";
  logits.vectors = {predictions.logits.data(), elements};
  probabilities.name = "probabilities";
  probabilities.vectors = {predictions.probabilities.data(), elements};
  summary::writeProjector(runDirectory_, {logits, probabilities});
}

} // namespace popscope::host
