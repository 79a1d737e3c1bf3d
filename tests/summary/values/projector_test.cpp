#include "summary/proto/projector.pb.h"
#include "summary/values/projector.hpp"
#include "tests/support/png_decoder.hpp"
#include "tests/support/temp_dir.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>

namespace popscope::summary {
namespace {

using testing::ElementsAre;
using tests::TempDir;

std::string contentOf(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Example {
  std::vector<float> vectors{
      1, 2.5F, -3e-7F, std::numeric_limits<float>::quiet_NaN(), 0, 7};
  std::vector<std::uint8_t> pixels{1, 2, 3, 4};
  Embedding embedding{"digits",
                      2,
                      vectors,
                      {"class", "name"},
                      {{"0", "zero\tnull"}, {"1", "one"}, {"2", "two"}},
                      {{2, 2, PixelFormat::grey, pixels.data()},
                       {2, 2, PixelFormat::grey, pixels.data()},
                       {2, 2, PixelFormat::grey, pixels.data()}}};
};

TEST(Projector, WritesVectorsLabelsSpriteAndConfiguration) {
  const TempDir directory;
  const Example example;
  writeProjector(directory.path() / "run", {example.embedding});
  const auto run = directory.path() / "run";
  EXPECT_EQ(contentOf(run / "digits_tensors.tsv"),
            "1\t2.5\n-3.00000011e-07\t0\n0\t7\n");
  EXPECT_EQ(contentOf(run / "digits_metadata.tsv"),
            "class\tname\n0\tzero null\n1\tone\n2\ttwo\n");
  const auto sprite = tests::decodePng(contentOf(run / "digits_sprite.png"));
  EXPECT_EQ(sprite.width, 4u);
  EXPECT_EQ(sprite.height, 4u);
  EXPECT_THAT(sprite.pixels, ElementsAre(1, 2, 1, 2, 3, 4, 3, 4, //
                                         1, 2, 0, 0, 3, 4, 0, 0));
  proto::ProjectorConfig config;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      contentOf(run / "projector_config.pbtxt"), &config));
  ASSERT_EQ(config.embeddings_size(), 1);
  EXPECT_EQ(config.embeddings(0).tensor_name(), "digits");
  EXPECT_EQ(config.embeddings(0).tensor_path(), "digits_tensors.tsv");
  EXPECT_EQ(config.embeddings(0).metadata_path(), "digits_metadata.tsv");
  EXPECT_EQ(config.embeddings(0).sprite().image_path(), "digits_sprite.png");
  EXPECT_THAT(config.embeddings(0).sprite().single_image_dim(),
              ElementsAre(2, 2));
  EXPECT_THAT(config.embeddings(0).tensor_shape(), ElementsAre(3, 2));
}

TEST(Projector, OneColumnHasNoHeader) {
  const TempDir directory;
  Example example;
  example.embedding.columns = {"class"};
  example.embedding.labels = {{"a"}, {"b"}, {"c"}};
  writeProjector(directory.path(), {example.embedding});
  EXPECT_EQ(contentOf(directory.path() / "digits_metadata.tsv"), "a\nb\nc\n");
}

TEST(Projector, EmptyLabelsKeepTheirColumnAndRow) {
  const TempDir directory;
  Example example;
  example.embedding.labels = {{"", "zero"}, {"", " "}, {"2", ""}};
  writeProjector(directory.path(), {example.embedding});
  EXPECT_EQ(contentOf(directory.path() / "digits_metadata.tsv"),
            "class\tname\n\tzero\n-\t \n2\t\n");
}

TEST(Projector, RefusesWhatDoesNotFitTogether) {
  const TempDir directory;
  const auto rejects = [&](auto change) {
    Example example;
    change(example.embedding);
    EXPECT_THROW(writeProjector(directory.path(), {example.embedding}),
                 std::invalid_argument);
  };
  rejects([](Embedding &e) { e.name = "../escape"; });
  rejects([](Embedding &e) { e.name = ""; });
  rejects([](Embedding &e) { e.dimensions = 4; });
  rejects([](Embedding &e) { e.labels.pop_back(); });
  rejects([](Embedding &e) { e.labels[0].pop_back(); });
  rejects([](Embedding &e) { e.pictures.pop_back(); });
  rejects([](Embedding &e) { e.pictures[0].width = 1; });
  const Example twice;
  EXPECT_THROW(
      writeProjector(directory.path(), {twice.embedding, twice.embedding}),
      std::invalid_argument);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

} // namespace
} // namespace popscope::summary
