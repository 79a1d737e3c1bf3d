#include "small_device.hpp"
#include "tests/support/temp_dir.hpp"

#include <poputil/DebugInfo.hpp>

#include <fstream>
#include <gmock/gmock.h>

using namespace poputil;
using poplar::ProfileValue;

namespace user {
struct Point {
  int x, y;
};
} // namespace user

namespace poputil {
template <> ProfileValue toProfileValue(const user::Point &t) {
  return ProfileValue::Map{{"x", t.x}, {"y", t.y}};
}
} // namespace poputil

namespace {

std::string jsonOf(const ProfileValue &value) {
  std::ostringstream text;
  serializeToJSON(text, value);
  return text.str();
}

TEST(DebugValues, ScalarsAreThemselves) {
  EXPECT_EQ(toProfileValue(-3), ProfileValue(-3));
  EXPECT_EQ(toProfileValue(true), ProfileValue(true));
  EXPECT_EQ(toProfileValue(0.5f), ProfileValue(0.5));
  EXPECT_EQ(toProfileValue(std::string("text")), ProfileValue("text"));
  EXPECT_EQ(toProfileValue(poplar::HALF), ProfileValue("half"));
  EXPECT_EQ(toProfileValue(poplar::TensorCloneMethod::CREATE_NEW_ORDER),
            ProfileValue("CREATE_NEW_ORDER"));
}

TEST(DebugValues, ContainersKeepTheirElements) {
  const std::vector<unsigned> vector = {5, 6};
  EXPECT_EQ(toProfileValue(vector), (ProfileValue::Map{{"0", 5}, {"1", 6}}));
  EXPECT_EQ(toProfileValue(std::vector<bool>{false, true}),
            (ProfileValue::Map{{"0", false}, {"1", true}}));
  EXPECT_EQ(toProfileValue(std::array<int, 1>{{9}}),
            (ProfileValue::Map{{"0", 9}}));
  EXPECT_EQ(toProfileValue(poplar::ArrayRef<unsigned>(vector)),
            (ProfileValue::Vector{5, 6}));
  EXPECT_EQ(toProfileValue(std::make_pair(1, true)),
            (ProfileValue::Map{{"first", 1}, {"second", true}}));
}

TEST(DebugValues, PointersAreWhatTheyPointAt) {
  const int value = 4;
  const int *null = nullptr;
  EXPECT_EQ(toProfileValue(&value), ProfileValue(4));
  EXPECT_EQ(toProfileValue(null), ProfileValue("<nullptr>"));
}

TEST(DebugValues, ATensorIsItsShapeAndType) {
  SmallDevice device(1);
  EXPECT_EQ(toProfileValue(device.graph.addVariable(poplar::FLOAT, {2, 3})),
            (ProfileValue::Map{{"shape", "[2, 3]"}, {"type", "float"}}));
  EXPECT_EQ(toProfileValue(poplar::Tensor()).type(),
            ProfileValue::Type::STRING);
}

TEST(DebugArgs, ArgumentsCarryTheirNames) {
  const int first = 1;
  const user::Point second = {2, 3};
  const std::vector<ArgType> args = DI_ARGS(first, second);
  ASSERT_EQ(args.size(), 2u);
  EXPECT_EQ(args[0].n, "first");
  EXPECT_EQ(args[0].pv, ProfileValue(1));
  EXPECT_EQ(args[1].n, "second");
  EXPECT_EQ(jsonOf(args[1].pv), R"({"x":2,"y":3})");
}

TEST(DebugArgs, UpToSixteenAreTaken) {
  const int a = 0;
  const std::vector<ArgType> one = DI_ARGS(a);
  EXPECT_EQ(one.size(), 1u);
  const std::vector<ArgType> many =
      DI_ARGS(a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a);
  EXPECT_EQ(many.size(), 16u);
}

poplar::DebugId recordCall(const poplar::DebugContext &debugContext) {
  const int size = 8;
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(size));
  di.addOutputs({{"low", toProfileValue(1)}, {"high", toProfileValue(2)}});
  di.add("note", ProfileValue("seen"));
  return di.getId();
}

TEST(OpDebugInfo, TheStreamNamesFunctionArgumentsAndResults) {
  const popscope::tests::TempDir dir;
  const std::string file = (dir.path() / "debug.json").string();
  poplar::DebugInfo::initializeStreamer(file,
                                        poplar::DebugSerializationFormat::JSON);
  recordCall("call");
  poplar::DebugInfo::closeStreamer();
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const char *part :
       {R"("api":"recordCall")", R"("args":{"size":8})", R"("note":"seen")",
        R"("outputs":{"high":2,"low":1})", R"("layer":"poplibs")"})
    EXPECT_THAT(text, testing::HasSubstr(part));
}

TEST(OpDebugInfo, ContextsMadeFromItCarryItsPath) {
  const poplar::DebugContext outer("layer");
  PoplibsOpDebugInfo di(outer);
  const poplar::DebugContext inner = {di, "out"};
  EXPECT_EQ(inner.getPathName(), "layer/out");
}

} // namespace
