#include "poplar/plan/fusion/explanation.hpp"
#include "tests/support/scoped_env.hpp"

#include <poplar/exceptions.hpp>

#include <gtest/gtest.h>
#include <sstream>

using ipumodel::Explanation;
using ipumodel::FusionPass;

TEST(Explanation, SaysEachThingOnce) {
  std::ostringstream out;
  Explanation explanation(&out);
  for (int i = 0; i < 2; ++i) {
    explanation.fused(FusionPass::chain, "a, b");
    explanation.notFused(FusionPass::privateTensor, "'x': read");
  }
  EXPECT_EQ(out.str(), "fusion: chain: a, b\nfusion: no private: 'x': read\n");
}

TEST(Explanation, IsOffUnlessAskedFor) {
  unsetenv("IPUMODEL_EXPLAIN");
  EXPECT_FALSE(Explanation::ofEnvironment().isOn());
  const ScopedEnv off("IPUMODEL_EXPLAIN", "0");
  EXPECT_FALSE(Explanation::ofEnvironment().isOn());
  const ScopedEnv on("IPUMODEL_EXPLAIN", "1");
  EXPECT_TRUE(Explanation::ofEnvironment().isOn());
  const ScopedEnv bad("IPUMODEL_EXPLAIN", "yes");
  EXPECT_THROW(Explanation::ofEnvironment(), poplar::invalid_option);
}
