#include "poplar/plan/fusion/fusion_settings.hpp"
#include "tests/support/scoped_env.hpp"

#include <poplar/exceptions.hpp>

#include <gmock/gmock.h>

using ipumodel::FusionPass;
using ipumodel::FusionSettings;

TEST(FusionSettings, AreAllPassesOrNone) {
  for (std::size_t i = 0; i < ipumodel::kNumFusionPasses; ++i) {
    EXPECT_TRUE(FusionSettings("1").isOn(FusionPass(i)));
    EXPECT_FALSE(FusionSettings("0").isOn(FusionPass(i)));
  }
  EXPECT_FALSE(FusionSettings("0").isAnyOn());
}

TEST(FusionSettings, LeaveOutPassesThatAreNamed) {
  for (std::size_t i = 0; i < ipumodel::kNumFusionPasses; ++i) {
    const FusionSettings one(std::string("-") + nameOf(FusionPass(i)));
    for (std::size_t k = 0; k < ipumodel::kNumFusionPasses; ++k)
      EXPECT_EQ(one.isOn(FusionPass(k)), k != i);
  }
  const FusionSettings two("-epilogue,-copy");
  EXPECT_FALSE(two.isOn(FusionPass::epilogue));
  EXPECT_FALSE(two.isOn(FusionPass::copy));
  EXPECT_TRUE(two.isOn(FusionPass::chain));
}

TEST(FusionSettings, AreNothingElse) {
  for (const char *text : {"", "2", "epilogue", "-epilog", "-copy,", ",-copy",
                           "-copy -chain", "-copy,1"})
    EXPECT_THROW(FusionSettings{text}, poplar::invalid_option) << text;
  try {
    FusionSettings settings("-epilog");
    FAIL();
  } catch (const poplar::invalid_option &error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("IPUMODEL_FUSION"));
    EXPECT_THAT(error.what(), testing::HasSubstr("-epilogue"));
  }
}

TEST(FusionSettings, AreInTheEnvironment) {
  const ScopedEnv env("IPUMODEL_FUSION", "-workspace");
  EXPECT_FALSE(FusionSettings::ofEnvironment().isOn(FusionPass::workspace));
}
