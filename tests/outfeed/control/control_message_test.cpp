#include "outfeed/control/control_message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

namespace popscope::outfeed {
namespace {

using testing::ElementsAre;

TEST(ControlMessage, ARequestArrivesAsItWasSent) {
  ControlRequest sent;
  sent.enable = {"kind:gradient & layer~\"conv_[01]\"", "loss"};
  sent.disable = {"*"};
  sent.dump = {"name:\xc3\xa9t\xc3\xa9"};
  sent.everythingOnce = true;
  sent.every = 4294967295u;
  sent.payload = Payload::shape;
  sent.when = "abs_max>1e4";
  sent.interventions = {{"conv_0_acts", {InterventionKind::scale, -0.1f}},
                        {"*", {InterventionKind::zero, 0}}};
  sent.cancel = {"loss"};
  sent.forUpdates = 3;
  const ControlRequest got = parseControlRequest(toJson(sent));
  EXPECT_EQ(got.enable, sent.enable);
  EXPECT_EQ(got.disable, sent.disable);
  EXPECT_EQ(got.dump, sent.dump);
  EXPECT_TRUE(got.everythingOnce);
  EXPECT_EQ(got.every, sent.every);
  EXPECT_EQ(got.payload, sent.payload);
  EXPECT_EQ(got.when, sent.when);
  ASSERT_EQ(got.interventions.size(), 2u);
  EXPECT_EQ(got.interventions[0].filter, "conv_0_acts");
  EXPECT_EQ(got.interventions[0].change.kind, InterventionKind::scale);
  EXPECT_EQ(got.interventions[0].change.amount, -0.1f);
  EXPECT_EQ(got.interventions[1].change.kind, InterventionKind::zero);
  EXPECT_EQ(got.cancel, sent.cancel);
  EXPECT_EQ(got.forUpdates, sent.forUpdates);
  EXPECT_TRUE(parseControlRequest(toJson(ControlRequest())).changesNothing());
}

TEST(ControlMessage, AReplyArrivesAsItWasSent) {
  ControlReply sent;
  sent.update = Update(131);
  sent.changes = {"turned on a, b"};
  sent.status.push_back(
      {"a", "microBatch", {"stats", "full"}, "full", true, "every 2", "", 65});
  sent.interventions.push_back({"b", "applied", "set to 0", 7});
  const ControlReply got = parseControlReply(toJson(sent));
  EXPECT_EQ(got.refusal, "");
  EXPECT_EQ(got.update, sent.update);
  EXPECT_EQ(got.changes, sent.changes);
  ASSERT_EQ(got.status.size(), 1u);
  EXPECT_EQ(got.status[0].tensor, "a");
  EXPECT_THAT(got.status[0].payloads, ElementsAre("stats", "full"));
  EXPECT_EQ(got.status[0].sent, 65u);
  EXPECT_TRUE(got.status[0].isOn);
  ASSERT_EQ(got.interventions.size(), 1u);
  EXPECT_EQ(got.interventions[0].change, "set to 0");
  EXPECT_EQ(got.interventions[0].updatesLeft, 7u);

  ControlReply refusal;
  refusal.refusal = "a line\nand another";
  EXPECT_EQ(parseControlReply(toJson(refusal)).refusal, refusal.refusal);
  EXPECT_EQ(toJson(refusal).find('\n'), std::string::npos);
}

TEST(ControlMessage, WhatIsNotARequestOfThisVersionIsRefused) {
  for (const char *const text :
       {"",
        "{}",
        "[]",
        "null",
        "GET / HTTP/1.1",
        "\x16\x03\x01",
        R"({"enable": ["*"]})",
        R"({"popscope_control": 2, "enable": ["*"]})",
        R"({"popscope_control": "1", "enable": ["*"]})",
        R"({"popscope_control": 1, "enable": ["*"]} {})",
        R"({"popscope_control": 1, "enable": [1]})",
        R"({"popscope_control": 1, "every": -1})",
        R"({"popscope_control": 1, "every": 1.5})",
        R"({"popscope_control": 1, "every": 4294967296})",
        R"({"popscope_control": 1, "payload": "stat"})",
        R"({"popscope_control": 1, "shell": "rm"})",
        R"({"popscope_control": 1, "for": -1})",
        R"({"popscope_control": 1, "intervene": ["*"]})",
        R"({"popscope_control": 1, "intervene": [{"filter": "*"}]})",
        R"({"popscope_control": 1,
            "intervene": [{"filter": "*", "kind": "scale"}]})",
        R"({"popscope_control": 1,
            "intervene": [{"filter": "*", "kind": "flip", "amount": 1}]})",
        R"({"popscope_control": 1,
            "intervene": [{"filter": "*", "kind": "scale", "amount": 1e39}]})",
        R"({"popscope_control": 1,
            "intervene": [{"filter": "*", "kind": "noise", "amount": -1}]})"})
    EXPECT_THROW(parseControlRequest(text), std::invalid_argument) << text;
}

} // namespace
} // namespace popscope::outfeed
