#include "poplar/values/debug_access.hpp"

#include <poplar/DebugContext.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

using poplar::DebugContext;
using poplar::DebugId;
using poplar::DebugInfo;
using poplar::DebugNameAndId;
using poplar::SourceLocation;
using poplar::StringRef;
using testing::EndsWith;

namespace {

// Called like the functions of a graph.
std::string pathOf(const DebugContext &debugContext = {}) {
  return debugContext.getPathName();
}
SourceLocation locationOf(const DebugContext &debugContext = {}) {
  return ipumodel::locationOf(debugContext);
}
SourceLocation locationOfNamed(const DebugContext &debugContext = {"const"}) {
  return ipumodel::locationOf(debugContext);
}

// A higher layer, as in PopLibs.
struct OpInfo : DebugInfo {
  explicit OpInfo(const DebugContext &context) : DebugInfo(context, "op") {}
};

TEST(DebugContext, ComesFromEveryFormOfName) {
  EXPECT_EQ(pathOf(), "");
  EXPECT_EQ(pathOf({}), "");
  EXPECT_EQ(pathOf("x"), "x");
  EXPECT_EQ(pathOf({"x"}), "x");
  EXPECT_EQ(pathOf(std::string("x")), "x");
  EXPECT_EQ(pathOf({std::string("x")}), "x");
  EXPECT_EQ(pathOf(StringRef("x")), "x");
  EXPECT_EQ(pathOf("x" + std::to_string(1)), "x1");
}

TEST(DebugContext, ComesFromADebugInfo) {
  const DebugInfo info("layer", "op");
  EXPECT_EQ(pathOf({info}), "layer");
  EXPECT_EQ(pathOf({info, "x"}), "layer/x");
  EXPECT_EQ(pathOf({info, std::string("x")}), "layer/x");
  EXPECT_EQ(pathOf(info), "layer");
}

TEST(DebugContext, ComesFromAClassDerivedFromDebugInfo) {
  const OpInfo info("layer");
  EXPECT_EQ(pathOf({info}), "layer");
  EXPECT_EQ(pathOf({info, "x"}), "layer/x");
  EXPECT_EQ(pathOf(info), "layer");
}

TEST(DebugContext, ComesFromANameAndId) {
  const DebugNameAndId nameAndId("layer");
  const std::string suffix = "1";
  EXPECT_EQ(pathOf({nameAndId}), "layer");
  EXPECT_EQ(pathOf({nameAndId, "x" + suffix}), "layer/x1");
  EXPECT_EQ(pathOf({nameAndId, "x"}), "layer/x");
  EXPECT_EQ(pathOf(nameAndId), "layer");
  const std::string path = "a/b";
  const DebugId id = 5;
  EXPECT_EQ(pathOf({{path, id}, "c"}), "a/b/c");
}

TEST(DebugContext, ComesFromAnotherContext) {
  const DebugContext parent("parent");
  EXPECT_EQ(pathOf({parent, "x"}), "parent/x");
  EXPECT_EQ(pathOf(parent), "parent");
  EXPECT_EQ(pathOf({parent}), "parent");
}

TEST(DebugContext, JoinsWithOneSlashWhoeverBringsIt) {
  const DebugContext parent("a");
  EXPECT_EQ(pathOf({parent, "/b"}), "a/b");
  EXPECT_EQ(pathOf({DebugContext("a/"), "b"}), "a/b");
  EXPECT_EQ(pathOf({parent, ""}), "a");
  EXPECT_EQ(pathOf({DebugContext(""), "b"}), "b");
}

TEST(DebugContext, NestsAsDeepAsTheCalls) {
  const OpInfo outer("model");
  const OpInfo inner({outer, "conv"});
  const OpInfo innermost({inner, "reduce"});
  EXPECT_EQ(pathOf({innermost, "stage0"}), "model/conv/reduce/stage0");
  EXPECT_EQ(ipumodel::DebugAccess::parentId({inner, "x"}), inner.getId());
}

TEST(DebugContext, DefaultArgumentsTellTheCallersPlace) {
  const SourceLocation unnamed = locationOf();
  const unsigned line = __LINE__;
  EXPECT_EQ(unnamed.getLineNumber(), line - 1);
  EXPECT_THAT(unnamed.getFileName(), EndsWith("debug_context_test.cpp"));
  const SourceLocation named = locationOfNamed();
  EXPECT_EQ(named.getLineNumber(), line + 3);
  const SourceLocation given = locationOf("x");
  EXPECT_EQ(given.getLineNumber(), line + 5);
}

TEST(DebugContext, OfAContextKeepsThePlaceOfTheParent) {
  const DebugContext parent("a", SourceLocation("f", "model.cpp", 12));
  EXPECT_EQ(locationOf({parent, "b"}).getLineNumber(), 12u);
}

TEST(DebugContext, PrintsItsPath) {
  std::ostringstream os;
  os << DebugContext("a") << ' ' << DebugNameAndId("b", 1, "parent");
  EXPECT_EQ(os.str(), "a parent/b");
}

TEST(DebugNameAndId, ComesFromEveryFormOfParent) {
  const DebugInfo info("layer", "op");
  EXPECT_EQ(DebugNameAndId().getPathName(), "");
  EXPECT_EQ(DebugNameAndId("x").getPathName(), "x");
  EXPECT_EQ(DebugNameAndId(std::string("x")).getPathName(), "x");
  EXPECT_EQ(DebugNameAndId(info).getPathName(), "layer");
  EXPECT_EQ(DebugNameAndId(info, "x").getPathName(), "layer/x");
  EXPECT_EQ(DebugNameAndId(DebugNameAndId("a"), "b").getPathName(), "a/b");
  EXPECT_EQ(DebugNameAndId(DebugId(3)).getPathName(), "");
}

TEST(DebugNameAndId, PassesItsIdDown) {
  const DebugInfo info("layer", "op");
  const DebugNameAndId nameAndId(info, "x");
  EXPECT_EQ(ipumodel::DebugAccess::parentId({nameAndId, "y"}), info.getId());
}

TEST(DebugInfo, EachHasItsOwnId) {
  const DebugInfo a("a", "op"), b("b", "op");
  EXPECT_NE(a.getId(), b.getId());
  EXPECT_NE(a.getId(), 0u);
}

TEST(SourceLocation, IsInvalidUntilSet) {
  EXPECT_FALSE(SourceLocation().isValid());
  EXPECT_TRUE(SourceLocation::Current().isValid());
  EXPECT_STREQ(SourceLocation::Current().getFunctionName(), __func__);
}

} // namespace
