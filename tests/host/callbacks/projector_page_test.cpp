#include "host/callbacks/projector_page.hpp"
#include "tests/support/temp_dir.hpp"

#include <cmath>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace popscope::host {
namespace {

using ::testing::HasSubstr;

std::string contentOf(const std::filesystem::path &file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

class ProjectorPageTest : public ::testing::Test {
protected:
  ProjectorPageTest() {
    test.rows = test.columns = 2;
    test.pixels.assign(12, 9);
    test.labels = {0, 1, 1};
    result.epoch = Epoch(4);
    result.testPredictions = std::make_shared<const Predictions>(
        Predictions{2,
                    {0.75f, 0.25f, 1.0f, 0.0f, 0.5f, 0.5f},
                    {1.5f, 0.5f, 9.0f, -9.0f, 3.0f, NAN}});
  }
  void write(std::size_t images) {
    ProjectorPage page(dir.path(), 5, test, images, {"cat", "dog"});
    page.epochEnd(result);
  }

  const tests::TempDir dir;
  Dataset test;
  EpochResult result;
};

TEST_F(ProjectorPageTest, WritesAfterTheLastEpochOnly) {
  ProjectorPage page(dir.path(), 5, test, 3, {"cat", "dog"});
  EXPECT_FALSE(page.wants(Epoch(3)).testPredictions);
  EXPECT_TRUE(page.wants(Epoch(4)).testPredictions);
  EpochResult earlier;
  earlier.epoch = Epoch(3);
  page.epochEnd(earlier);
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "projector_config.pbtxt"));
  page.epochEnd(result);
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "projector_config.pbtxt"));
}

TEST_F(ProjectorPageTest, HasProbabilitiesLabelsAndAnswersOfTheFirstImages) {
  write(2);
  EXPECT_EQ(contentOf(dir.path() / "probabilities_tensors.tsv"),
            "0.75\t0.25\n1\t0\n");
  EXPECT_EQ(contentOf(dir.path() / "logits_metadata.tsv"),
            "label\tanswer\tright\ncat\tcat\tyes\ndog\tcat\tno\n");
  EXPECT_THAT(contentOf(dir.path() / "logits_sprite.png"), HasSubstr("PNG"));
}

TEST_F(ProjectorPageTest, HasTheLogitsAsFarAsThePageCanReadThem) {
  write(3);
  EXPECT_EQ(contentOf(dir.path() / "logits_tensors.tsv"),
            "1.5\t0.5\n9\t-9\n3\t0\n");
}

} // namespace
} // namespace popscope::host
