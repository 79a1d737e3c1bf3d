#include "host/terminal/live_block.hpp"

#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace popscope::host {
namespace {

class LiveBlockTest : public ::testing::Test {
protected:
  std::string drawn() {
    std::string text = out.str();
    out.str("");
    return text;
  }
  std::ostringstream out;
  LiveBlock block{out};
};

TEST_F(LiveBlockTest, GoesBackOverAllItsLines) {
  block.draw({"a", "b", "c"});
  EXPECT_EQ(drawn(), "a\nb\nc");
  block.draw({"d"});
  EXPECT_EQ(drawn(), "\r\x1b[2A\x1b[Jd");
  block.draw({"e", "f"});
  EXPECT_EQ(drawn(), "\r\x1b[Je\nf");
}

TEST_F(LiveBlockTest, IsWipedOnce) {
  block.wipe();
  EXPECT_EQ(drawn(), "") << "nothing is drawn yet";
  block.draw({"a", "b"});
  drawn();
  block.wipe();
  EXPECT_EQ(drawn(), "\r\x1b[1A\x1b[J");
  block.wipe();
  EXPECT_EQ(drawn(), "");
}

} // namespace
} // namespace popscope::host
