#include <poputil/VertexTemplates.hpp>

#include <gtest/gtest.h>

using namespace poputil;

namespace user {
enum class Mode { fast, small };
} // namespace user

namespace poputil {
template <> struct VertexTemplateToString<user::Mode> {
  static std::string to_string(const user::Mode &mode) {
    return mode == user::Mode::fast ? "user::Mode::fast" : "user::Mode::small";
  }
};
} // namespace poputil

namespace {

TEST(VertexTemplates, WithoutArgumentsThereIsOnlyTheName) {
  EXPECT_EQ(templateVertex("ns::Vertex"), "ns::Vertex");
}

TEST(VertexTemplates, EveryKindOfArgumentIsSpelt) {
  const std::string text = "char";
  const poplar::StringRef ref = text;
  EXPECT_EQ(templateVertex("V", poplar::FLOAT, poplar::UNSIGNED_INT),
            "V<float,unsigned int>");
  EXPECT_EQ(templateVertex("V", true, false), "V<true,false>");
  EXPECT_EQ(templateVertex("V", 4u, -1, std::size_t(7)), "V<4,-1,7>");
  EXPECT_EQ(templateVertex("V", "int", text, ref), "V<int,char,char>");
  EXPECT_EQ(templateVertex("V", user::Mode::small), "V<user::Mode::small>");
}

TEST(VertexTemplates, NamesNest) {
  EXPECT_EQ(templateVertex("V", templateVertex("W", poplar::HALF), 2),
            "V<W<half>,2>");
}

} // namespace
