#include "host/run/tensorboard_hint.hpp"
#include "tests/support/temp_dir.hpp"

#include <filesystem>
#include <gtest/gtest.h>

namespace popscope::host {
namespace {

namespace fs = std::filesystem;

class TensorBoardHint : public ::testing::Test {
protected:
  TensorBoardHint() {
    fs::create_directory(checkout.path() / "scripts");
    checkout.file("scripts/tensorboard", "");
  }
  const tests::TempDir checkout;
  const fs::path built = checkout.path() / "build/release/bin/popscope";
};

TEST_F(TensorBoardHint, BuiltProgramNamesTheScriptOfItsCheckout) {
  EXPECT_EQ(tensorboardCommand(built, checkout.path(), "my logs"),
            "./scripts/tensorboard 'my logs'");
  EXPECT_EQ(tensorboardCommand(built, "/", "logs"),
            (checkout.path() / "scripts/tensorboard").string() + " logs");
}

TEST_F(TensorBoardHint, InstalledProgramNamesItsOwnCommand) {
  for (const char *program : {"/usr/local/bin/popscope", "/opt/bin/popscope"})
    EXPECT_EQ(tensorboardCommand(program, checkout.path(), "logs"),
              "popscope tensorboard logs");
  EXPECT_EQ(tensorboardCommand("", checkout.path(), "logs"),
            "popscope tensorboard logs")
      << "where nobody knows";
}

TEST_F(TensorBoardHint, TheDebuggersPageNeedsTensorFlowUnlessTheScriptHasIt) {
  const std::string page =
      "\n  on the page Debugger V2, in the list of inactive pages";
  EXPECT_EQ(debuggerHint("./scripts/tensorboard logs/a"),
            "The health of its tensors: ./scripts/tensorboard logs/a" + page);
  EXPECT_EQ(debuggerHint("popscope tensorboard logs/a"),
            "The health of its tensors: popscope tensorboard logs/a" + page +
                "; it needs TensorFlow installed beside TensorBoard");
}

} // namespace
} // namespace popscope::host
