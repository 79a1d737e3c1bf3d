#include "model.hpp"
#include "tests/support/scoped_env.hpp"
#include "tests/support/temp_dir.hpp"

#include <fstream>
#include <gmock/gmock.h>

using namespace poplar;
using namespace poplar::program;
using enginetest::Model;

TEST(StepTimes, EveryStepThatRanHasALine) {
  const popscope::tests::TempDir directory;
  const std::string file = directory.path() / "times";
  const ScopedEnv times("IPUMODEL_STEP_TIMES", file);
  Model m;
  const Tensor a = m.add(FLOAT, {8}, "a"), b = m.add(FLOAT, {8}, "b");
  m.load({Copy(a, b, false, "there"), Copy(b, a, false, "back")});
  m.engine->run(0);
  m.engine.reset();
  std::ifstream in(file);
  double share = 0, seconds = 0;
  std::string kind, name, more;
  ASSERT_TRUE(in >> share >> seconds >> kind >> name);
  EXPECT_EQ(share, 1);
  EXPECT_GT(seconds, -1e-9);
  EXPECT_EQ(kind, "Copy");
  EXPECT_EQ(name, "there");
  EXPECT_FALSE(in >> more) << more;
}
