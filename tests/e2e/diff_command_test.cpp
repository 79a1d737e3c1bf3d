// Comparing runs, and proving that taps change nothing, as users do it.
#include "tests/support/command.hpp"
#include "tests/support/temp_dir.hpp"
#include "text/json_value.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace popscope::host {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class DiffCommand : public testing::Test {
protected:
  tests::CommandResult popscope(const std::string &arguments) {
    return tests::runCommand("cd " + directory.path().string() + " && " +
                             POPSCOPE_COMMAND " " + arguments);
  }
  // A run of 8 updates.
  void train(const std::string &run, const std::string &options) {
    const auto result =
        popscope("train --preset fashion --tiles 16 --epochs 1 "
                 "--steps-per-epoch 8 --logdir . --quiet "
                 "--data " POPSCOPE_DATA "/fashion-mnist --run " +
                 run + " " + options);
    ASSERT_EQ(result.exitCode, 0) << result.output;
  }
  text::JsonValue json(const std::string &arguments) {
    return text::parseJson(popscope("diff --json " + arguments).output);
  }
  tests::TempDir directory;
};

constexpr char kIdentity[] = "--tap '* -> identity' ";

TEST_F(DiffCommand, RunsOfOneSeedAreBitIdentical) {
  train("a", kIdentity);
  train("b", kIdentity);
  const auto result = popscope("diff a b");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_EQ(result.output, "A  a: 8 updates, 256 samples\n"
                           "B  b: 8 updates, 256 samples\n"
                           "bit-identical: 32 tensors at 8 updates\n");
  EXPECT_TRUE(json("a b")["bit_identical"].boolOr(false));
}

TEST_F(DiffCommand, APlantedChangeOfOneTenthOfAThousandthIsNamedFirst) {
  train("a", kIdentity);
  train("b", std::string(kIdentity) +
                 "--inject scale:dense_1/kernel:0_grad@update=3,factor=1.0001");
  const auto result = popscope("diff a b");
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.output,
              HasSubstr("\nfirst difference: update 3, "
                        "dense_1/kernel:0_grad_per_micro_batch (gradient, "
                        "float [32,10]): relative L2 "));
  const text::JsonValue found = json("a b");
  EXPECT_FALSE(found["same"].boolOr(true));
  const text::JsonValue &first = found["first"]["first"];
  EXPECT_EQ(first["update"].numberOr(0), 3);
  EXPECT_NEAR(first["relative_l2"].numberOr(0), 1e-4, 0.5e-4);
  EXPECT_GT(first["cosine"].numberOr(0), 0.9999999);
  EXPECT_EQ(found["tensors"].items()[0]["tensor"].stringOr(""), "input");
  EXPECT_EQ(found["tensors"].items()[0]["bit_identical"].numberOr(0), 8);
  EXPECT_EQ(popscope("diff a b --tolerance 0.1").exitCode, 0);
  EXPECT_THAT(popscope("diff a b --tolerance 0.1").output,
              HasSubstr("same within the tolerance of 0.1: 32 tensors at 8"));

  ASSERT_EQ(popscope("diff a b --html page.html").exitCode, 1);
  std::ifstream in(directory.path() / "page.html");
  const std::string page(std::istreambuf_iterator<char>(in), {});
  EXPECT_THAT(page, AllOf(HasSubstr("\"isFirst\": true"), Not(HasSubstr("//w")),
                          Not(HasSubstr("http"))));
  EXPECT_EQ(popscope("diff a b --html page.html").exitCode, 2);
  EXPECT_EQ(popscope("diff a b --html page.html --force").exitCode, 1);
}

TEST_F(DiffCommand, HalfIsComparedWithFloatWithoutTheLossScale) {
  train("float", kIdentity);
  train("half", std::string(kIdentity) + "--precision half");
  const text::JsonValue found = json("float half");
  for (const text::JsonValue &tensor : found["tensors"].items()) {
    const text::JsonValue &first = tensor["first"];
    EXPECT_LT(first["relative_l2"].numberOr(0), 0.5)
        << tensor["tensor"].stringOr("");
  }
  EXPECT_EQ(found["first"]["first"]["evidence"].stringOr(""), "sketch");
  EXPECT_THAT(popscope("diff float half").output,
              HasSubstr("only in B, not compared: loss_scale"));
}

TEST_F(DiffCommand, TwoReplicasHaveTheBitsOfOneWithAsManyBatches) {
  train("one", std::string(kIdentity) + "--gradient-accumulation 2");
  train("two", std::string(kIdentity) + "--replicas 2");
  const auto result = popscope("diff one two");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("bit-identical: 32 tensors at 4 updates\n"),
                    HasSubstr("only in B, not compared: 4 updates (from 4 to "
                              "7)\n")));
}

TEST_F(DiffCommand, WithoutIdentityNothingIsProven) {
  train("a", "--tap '* -> stats'");
  train("b", kIdentity);
  const auto result = popscope("diff a b");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("no difference seen: 32 tensors at 8 updates"),
                    HasSubstr("compared by statistics, which cannot prove "
                              "equality")));
}

TEST_F(DiffCommand, WhatIsNotInBothIsNamed) {
  train("a", "--tap 'kind:weight @ every 2 -> identity' 'loss -> identity'");
  train("b", "--tap 'kind:weight @ from 2 -> identity' 'input -> identity'");
  const auto result = popscope("diff a b");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("bit-identical: 4 tensors at"),
                    HasSubstr("only in A, not compared: loss\n"),
                    HasSubstr("only in B, not compared: input\n"),
                    HasSubstr("not tapped at the same updates: ")));
}

TEST_F(DiffCommand, ATornLogIsComparedAsFarAsItGoes) {
  train("a", kIdentity);
  train("b", kIdentity);
  const std::filesystem::path log = directory.path() / "b/samples.log";
  std::filesystem::resize_file(log, std::filesystem::file_size(log) - 100);
  const auto torn = popscope("diff a b");
  EXPECT_EQ(torn.exitCode, 0);
  EXPECT_THAT(torn.output,
              AllOf(HasSubstr("the log of B is not whole: its last record is "
                              "torn\n"),
                    HasSubstr("only in A, not compared: 1 update (7)\n")));
}

TEST_F(DiffCommand, WhatCannotBeComparedIsRefused) {
  const auto refused = [&](const std::string &arguments, const char *why) {
    const auto result = popscope("diff " + arguments);
    EXPECT_EQ(result.exitCode, 2) << arguments;
    EXPECT_THAT(result.output, AllOf(StartsWith("popscope: "), HasSubstr(why)));
  };
  train("a", kIdentity);
  train("plain", "");
  train("other", "--tap 'loss @ updates 99 -> identity' input");
  std::filesystem::create_directory(directory.path() / "empty");
  directory.file("text", "not a log");
  refused("a none", "none: there is no such run");
  refused("a empty", "empty: not the directory of a run");
  refused("a plain", "only a training that taps something can be compared");
  refused("a text", "text: not a sample log");
  refused("a a --tolerance -1", "--tolerance is a relative L2, 0 or more");
  refused("a", "b is required");
}

TEST_F(DiffCommand, TapsAreProvenToChangeNothingInAnyPreset) {
  const std::pair<const char *, const char *> presets[] = {
      {"mlp", "mnist"},
      {"cnn", "mnist"},
      {"gmp-cnn", "mnist"},
      {"fashion", "fashion-mnist"},
      {"digits", "digits"}};
  for (const auto &[preset, data] : presets) {
    const auto result = popscope(
        std::string("prove --tiles 16 --epochs 1 --steps-per-epoch 8 "
                    "--steps-per-execution 4 --gradient-accumulation 4 "
                    "--evaluate-every 0 --preset ") +
        preset + " --data " POPSCOPE_DATA "/" + data);
    EXPECT_EQ(result.exitCode, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("\nthe same bits in ")) << preset;
  }
}

TEST_F(DiffCommand, AProofKeepsItsRunsOnlyWhereItIsTold) {
  const std::string fast =
      "prove --preset fashion --tiles 16 --epochs 1 "
      "--steps-per-epoch 8 --data " POPSCOPE_DATA "/fashion-mnist ";
  const auto kept = popscope(fast + "--tap 'loss' --logdir kept");
  EXPECT_EQ(kept.exitCode, 0) << kept.output;
  EXPECT_THAT(kept.output, HasSubstr("8 samples of 1 tensor"));
  EXPECT_TRUE(std::filesystem::exists(directory.path() / "kept/with-taps"));
  EXPECT_EQ(popscope(fast + "--tap 'loss' --logdir kept").exitCode, 2);
  for (const char *option :
       {"--inject nan:loss@update=1", "--no-inspection", "--resume --run x"})
    EXPECT_EQ(popscope(fast + option).exitCode, 2) << option;
}

} // namespace
} // namespace popscope::host
