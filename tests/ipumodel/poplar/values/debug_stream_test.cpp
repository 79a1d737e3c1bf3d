#include "poplar/base/json.hpp"

#include <poplar/DebugContext.hpp>
#include <poplar/exceptions.hpp>

#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <sstream>
#include <string>

using poplar::DebugInfo;
using poplar::DebugSerializationFormat;
using poplar::ProfileValue;
using testing::EndsWith;
using testing::StartsWith;

namespace {

class DebugStream : public testing::Test {
protected:
  ~DebugStream() override {
    DebugInfo::closeStreamer();
    std::remove(path_.c_str());
  }

  std::string read() const {
    std::ifstream file(path_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  const std::string path_ =
      testing::TempDir() + "debug_stream_" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(DebugStream, JsonHoldsEveryDebugInfoOfItsTime) {
  { const DebugInfo before("before", "op"); }
  DebugInfo::initializeStreamer(path_, DebugSerializationFormat::JSON);
  poplar::DebugId outerId, innerId;
  {
    DebugInfo outer("layer", "poplibs");
    outerId = outer.getId();
    EXPECT_TRUE(outer.setValue("args", ProfileValue::Map{{"dim", 1}}));
    const DebugInfo inner({outer, "reduce"}, "popops");
    innerId = inner.getId();
  }
  DebugInfo::closeStreamer();
  { const DebugInfo after("after", "op"); }

  const ProfileValue document = ipumodel::parseJson(read());
  const auto &contexts = document["contexts"].asVector();
  ASSERT_EQ(contexts.size(), 2u);
  EXPECT_EQ(contexts[0]["name"].asString(), "layer/reduce");
  EXPECT_EQ(contexts[0]["id"].asUint(), innerId);
  EXPECT_EQ(contexts[0]["parentId"].asUint(), outerId);
  EXPECT_EQ(contexts[0]["layer"].asString(), "popops");
  EXPECT_EQ(contexts[1]["values"]["args"]["dim"].asInt(), 1);
  EXPECT_THAT(contexts[1]["location"]["fileName"].asString(),
              EndsWith("debug_stream_test.cpp"));
}

TEST_F(DebugStream, WithoutInfosIsAnEmptyList) {
  DebugInfo::initializeStreamer(path_, DebugSerializationFormat::JSON);
  DebugInfo::closeStreamer();
  EXPECT_EQ(ipumodel::parseJson(read())["contexts"].size(), 0u);
}

TEST_F(DebugStream, CborIsOneTaggedMapOfAnOpenEndedArray) {
  DebugInfo::initializeStreamer(path_);
  { const DebugInfo info("x", "op"); }
  DebugInfo::closeStreamer();
  const std::string bytes = read();
  EXPECT_THAT(bytes, StartsWith("\xd9\xd9\xf7\xa1\x68"
                                "contexts\x9f"));
  EXPECT_EQ(bytes.back(), '\xff');
  EXPECT_NE(bytes.find("\x65layer\x62op"), std::string::npos);
}

TEST_F(DebugStream, ValuesAreNotCollectedForNobody) {
  DebugInfo info("x", "op");
  EXPECT_FALSE(info.setValue("a", 1));
}

TEST_F(DebugStream, RefusesAPathItCannotWrite) {
  EXPECT_THROW(DebugInfo::initializeStreamer("/no/such/directory/file"),
               poplar::file_load_error);
}

} // namespace
