#include "host/commands/taps_listing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace popscope::host {
namespace {

using testing::HasSubstr;
using testing::Not;

TapsListing::Row row(const std::string &name, unsigned stage,
                     double bytesPerUpdate) {
  TapsListing::Row row;
  row.tap.tensor.name = name;
  row.tap.tensor.stage = stage;
  row.tap.tensor.dtype = "float";
  row.tap.tensor.shape = {32, 11, 11, 64};
  row.tap.tileBytes = 240;
  row.tap.cycles = 62156;
  row.bytesPerUpdate = bytesPerUpdate;
  row.tensorBytesPerUpdate = 15859712;
  return row;
}

TapsListing twoTaps() {
  TapsListing listing;
  listing.rows = {row("conv_1_acts", 0, 1280),
                  row("a_layer_with_a_long_name/kernel:0_grad", 1, 28.5)};
  listing.bytesPerUpdate = 1344.5;
  listing.tensorBytesPerUpdate = 31719424;
  return listing;
}

std::string inTerminal(const TapsListing &listing, std::size_t columns) {
  std::ostringstream out;
  printForTerminal(listing, out, columns);
  return out.str();
}

TEST(TapsListing, NoLineIsWiderThanTheTerminal) {
  for (const std::size_t columns : {75u, 80u, 100u, 120u}) {
    std::istringstream lines(inTerminal(twoTaps(), columns));
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(line.size(), columns) << line;
  }
}

TEST(TapsListing, WhatIsTheSameForAllRowsLeavesTheTableFirst) {
  const std::string text = inTerminal(twoTaps(), 120);
  EXPECT_THAT(text, HasSubstr("The same for all: type float, "));
  EXPECT_THAT(text, Not(HasSubstr("Not shown")));
  EXPECT_THAT(text, HasSubstr("  stage  "));
}

TEST(TapsListing, TheHealthWatchIsTheLastRow) {
  TapsListing listing = twoTaps();
  EXPECT_THAT(inTerminal(listing, 120), Not(HasSubstr("health")));
  listing.health = {37, 912, 4800, 123456};
  EXPECT_THAT(inTerminal(listing, 120), HasSubstr("\n  health: 37 tensors  "));
  std::ostringstream pipe, json;
  printForPipe(listing, pipe);
  EXPECT_THAT(pipe.str(), HasSubstr("\nhealth: 37 tensors\t\t\t\t\t\tevery "
                                    "1\talarm\t912\t4800\t123456\t\n"
                                    "total\t"));
  printJson(listing, json);
  EXPECT_THAT(json.str(),
              HasSubstr("\"health\": {\"tensors\": 37, "
                        "\"bytes_per_update\": 912, \"tile_bytes\": 4800, "
                        "\"cycles\": 123456}"));
}

TEST(TapsListing, ColumnsLeftOutAreNamed) {
  TapsListing listing = twoTaps();
  listing.rows[1].tap.cycles = 1;
  listing.rows[1].tap.tileBytes = 1;
  EXPECT_THAT(inTerminal(listing, 80), HasSubstr("(--json has all): stage.\n"));
  const std::string wide = inTerminal(listing, 300);
  EXPECT_THAT(wide, Not(HasSubstr("Not shown")));
  EXPECT_THAT(wide, HasSubstr("are estimates"));
}

TEST(TapsListing, APipeHasHeadingPlainNumbersAndTotals) {
  std::ostringstream out;
  printForPipe(twoTaps(), out);
  EXPECT_EQ(out.str(),
            "tensor\tkind\tat\tstage\ttype\tshape\tschedule\tpayload\t"
            "bytes/update\ttile bytes\tcycles\ttensor bytes/update\n"
            "conv_1_acts\tactivation\tmicroBatch\t0\tfloat\t32x11x11x64\t"
            "every 1\tstats\t1280\t240\t62156\t15859712\n"
            "a_layer_with_a_long_name/kernel:0_grad\tactivation\tmicroBatch\t1"
            "\tfloat\t32x11x11x64\tevery 1\tstats\t28.5\t240\t62156\t"
            "15859712\n"
            "total\t\t\t\t\t\t\t\t1344.5\t\t\t31719424\n");
}

TEST(TapsListing, JsonHasTheSame) {
  TapsListing listing = twoTaps();
  listing.rows.pop_back();
  std::ostringstream out;
  printJson(listing, out);
  EXPECT_EQ(out.str(),
            "{\"taps\": [\n"
            "  {\"tensor\": \"conv_1_acts\", \"kind\": \"activation\", "
            "\"at\": \"microBatch\", \"stage\": 0, \"type\": \"float\", "
            "\"shape\": [32, 11, 11, 64], \"schedule\": \"every 1\", "
            "\"payload\": \"stats\", \"bytes_per_update\": 1280, "
            "\"tile_bytes\": 240, \"cycles\": 62156, "
            "\"tensor_bytes_per_update\": 15859712}\n"
            "],\n"
            "\"health\": {\"tensors\": 0, \"bytes_per_update\": 0, "
            "\"tile_bytes\": 0, \"cycles\": 0},\n"
            "\"totals\": {\"taps\": 1, \"bytes_per_update\": 1344.5, "
            "\"tensor_bytes_per_update\": 31719424}}\n");
}

TEST(TapsListing, PartsOfTensorsAreCalledSo) {
  TapsListing listing = twoTaps();
  EXPECT_THAT(inTerminal(listing, 120), Not(HasSubstr("Only the part")));
  listing.rows[0].tap.tensor.partOf = {32, 12, 12, 64};
  EXPECT_THAT(inTerminal(listing, 120),
              HasSubstr("Only the part that the next layer reads: conv_1_acts "
                        "(32x11x11x64 of 32x12x12x64).\n"));
  std::ostringstream json;
  printJson(listing, json);
  EXPECT_THAT(json.str(), HasSubstr("\"shape\": [32, 11, 11, 64], "
                                    "\"part_of\": [32, 12, 12, 64], "));
}

TEST(TapsListing, ConditionsStandByTheSchedule) {
  TapsListing listing = twoTaps();
  outfeed::Tap &tap = listing.rows[0].tap;
  tap.condition = outfeed::parseCondition("abs_max > 1e4");
  tap.forUpdates = 50;
  tap.bytes = 80;
  EXPECT_THAT(inTerminal(listing, 200),
              HasSubstr("every 1 when abs_max>1e4  stats for 50"));
  EXPECT_THAT(inTerminal(listing, 80), HasSubstr("Taps with a condition"));
  std::ostringstream json;
  printJson(listing, json);
  EXPECT_THAT(json.str(), HasSubstr("\"schedule\": \"every 1\", \"payload\": "
                                    "\"stats\", \"when\": \"abs_max>1e4\", "
                                    "\"for\": 50, \"bytes_when_sent\": 80, "
                                    "\"bytes_per_update\""));
}

TEST(TapsListing, TheRecorderSaysWhatItTakesOfATile) {
  TapsListing listing = twoTaps();
  EXPECT_THAT(inTerminal(listing, 80), Not(HasSubstr("recorder")));
  listing.recorder = {16, 62, 15424};
  EXPECT_THAT(inTerminal(listing, 80),
              HasSubstr("The recorder keeps 16 updates of 62 tensors, in at "
                        "most 15,424 bytes of a tile.\n"));
  std::ostringstream json;
  printJson(listing, json);
  EXPECT_THAT(json.str(), HasSubstr("\"recorder\": {\"updates\": 16, "
                                    "\"tensors\": 62, \"tile_bytes\": "
                                    "15424}}\n"));
}

TEST(TapsListing, ListedUpdatesAreSaidNotToCount) {
  TapsListing listing = twoTaps();
  EXPECT_THAT(inTerminal(listing, 80), Not(HasSubstr("listed updates")));
  listing.rows[0].tap.schedule.every = 0;
  listing.rows[0].tap.schedule.updates = {3, 4};
  EXPECT_THAT(inTerminal(listing, 80), HasSubstr("listed updates"));
}

TEST(TapsListing, InstancesHaveLinesOfTheirOwn) {
  TapsListing listing = twoTaps();
  listing.instances =
      TapsListing::Instances{64, 4, 1500, 96000, 512, 2720, 7e5};
  const std::string text = inTerminal(listing, 80);
  EXPECT_THAT(text, HasSubstr("64 instances of 4 replicas, in an update:\n"));
  EXPECT_THAT(text, HasSubstr("kept apart  1,500 bytes reach each host"));
  EXPECT_THAT(text, HasSubstr("merged      96,000 bytes reach instance 0, "
                              "94,500 of them from other hosts"));
  EXPECT_THAT(text, HasSubstr("512 records to merge"));
  EXPECT_THAT(text, HasSubstr("2,720 bytes of tile memory, 700,000 cycles"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), 80u) << line;
  std::ostringstream pipe, json;
  printForPipe(listing, pipe);
  EXPECT_THAT(pipe.str(), HasSubstr("\ninstances: each host, apart\t\t\t\t\t\t"
                                    "\t\t1500\t\t\t\n"));
  printJson(listing, json);
  EXPECT_THAT(json.str(), HasSubstr("\"merged_bytes_per_update\": 96000"));
}

TEST(TapsListing, WhatMergingReplicasWouldChangeIsTold) {
  TapsListing listing = twoTaps();
  EXPECT_THAT(inTerminal(listing, 80), Not(HasSubstr("merge-replicas")));
  listing.otherwise = {true, 1024, 64};
  EXPECT_THAT(inTerminal(listing, 80),
              HasSubstr("\nwith --merge-replicas: 1,024 bytes per update in 64 "
                        "records\n"));
  listing.instances = TapsListing::Instances{4, 2, 1500, 6000, 512, 2720, 7e5};
  listing.otherwise->mergesReplicas = false;
  EXPECT_THAT(inTerminal(listing, 80),
              HasSubstr("\nwithout --merge-replicas: 1,024 bytes per update in "
                        "64 records,\n  256 bytes at each host\n"));
  std::ostringstream pipe, json;
  printForPipe(listing, pipe);
  EXPECT_THAT(pipe.str(), HasSubstr("\nwithout --merge-replicas\t\t\t\t\t\t\t"
                                    "\t1024\t\t\t\n"));
  printJson(listing, json);
  EXPECT_THAT(json.str(),
              HasSubstr(",\n\"without_merge_replicas\": {\"bytes_per_update\": "
                        "1024, \"records_per_update\": 64}}\n"));
}

} // namespace
} // namespace popscope::host
