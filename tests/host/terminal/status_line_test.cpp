#include "host/terminal/status_line.hpp"

#include <gtest/gtest.h>
#include <sstream>

namespace popscope::host {
namespace {

std::string shown(StatusStyle style) {
  std::ostringstream out;
  { const StatusLine line(out, style, "building ..."); }
  return out.str();
}

TEST(StatusLine, IsWipedOnATerminalAndKeptInAPipe) {
  EXPECT_EQ(shown(StatusStyle::wiped), "building ...\r\x1b[K");
  EXPECT_EQ(shown(StatusStyle::kept), "building ...\n");
  EXPECT_EQ(shown(StatusStyle::silent), "");
}

} // namespace
} // namespace popscope::host
