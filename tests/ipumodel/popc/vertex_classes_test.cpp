#include "compiled.hpp"
#include "vertex_object.hpp"

#include <gmock/gmock.h>

using ipumodel::abi::VertexKind;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

namespace {

std::vector<std::string> vertexNames(const std::string &file) {
  std::vector<std::string> names;
  for (const auto *type : compiled(file).vertexTypes())
    names.emplace_back(type->name);
  return names;
}

// The value a vertex leaves in its only field, an Output.
unsigned outputOf(const std::string &file, const std::string &name) {
  VertexObject vertex(vertexType(file, name));
  unsigned out = 0;
  vertex.set("out", &out);
  EXPECT_TRUE(vertex.run());
  return out;
}

TEST(VertexClasses, ExactlyTheVerticesOfAFileAreExported) {
  EXPECT_THAT(vertexNames("classes.cpp"),
              UnorderedElementsAre("Plain", "Closed", "Undecided", "Trailing",
                                   "outer::inner::Deep", "outer::Hidden",
                                   "outer::Holder::Nested", "Sum", "Along",
                                   "Counter", "OutOfLine", "Workers"));
}

TEST(VertexClasses, TemplateNamesHaveEveryArgumentInFull) {
  EXPECT_THAT(
      vertexNames("templates.cpp"),
      UnorderedElementsAre(
          "ops::Binary<float,ops::Kind::ADD>",
          "ops::Binary<unsigned int,ops::Kind::SUB>",
          "ops::Binary<half,ops::Kind::SUB>", "ops::Binary<long long,7>",
          "ops::Defaults<half,6,true,-2,poplar::VectorLayout::ONE_PTR>",
          "ops::Defaults<unsigned char,8,false,-2,"
          "poplar::VectorLayout::ONE_PTR>",
          "ops::Odd<ops::SOUR,short,97>", "ops::OfClass<ops::Tag>",
          "ops::OfClass<poplar::Input<poplar::Vector<int,"
          "poplar::VectorLayout::SPAN,4,false>>>",
          "ops::Macro<bool>", "ops::Macro<unsigned short>",
          "ops::Special<float,false>", "ops::Special<float,true>",
          "ops::Special<int,true>", "ops::Twice<float>", "ops::Twice<int>",
          "ops::TwicePlain", "ops::Maybe<true>", "ops::Maybe<false>"));
}

TEST(VertexClasses, AnySpellingFindsATemplate) {
  const auto &library = compiled("templates.cpp");
  const auto *type = library.find("ops::Binary<unsigned int,ops::Kind::SUB>");
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(library.find("ops::Binary<unsigned, ops::Kind::SUB>"), type);
  EXPECT_EQ(library.find("ops::Binary<float>"), nullptr);
}

TEST(VertexClasses, KindsAreTheirBases) {
  EXPECT_EQ(vertexType("classes.cpp", "Plain").kind, VertexKind::vertex);
  EXPECT_EQ(vertexType("classes.cpp", "Workers").kind, VertexKind::multiVertex);
  EXPECT_EQ(vertexType("device.cpp", "Supervised").kind,
            VertexKind::supervisor);
  EXPECT_EQ(vertexType("templates.cpp", "ops::Maybe<true>").kind,
            VertexKind::supervisor);
  EXPECT_EQ(vertexType("templates.cpp", "ops::Maybe<false>").kind,
            VertexKind::vertex);
  EXPECT_EQ(vertexType("templates.cpp", "ops::Special<int,true>").kind,
            VertexKind::multiVertex);
}

TEST(VertexClasses, RunWhereverTheyAreDefined) {
  EXPECT_EQ(outputOf("classes.cpp", "outer::inner::Deep"), 7u);
  EXPECT_EQ(outputOf("classes.cpp", "outer::Hidden"), 8u);
  EXPECT_EQ(outputOf("classes.cpp", "outer::Holder::Nested"), 9u);
  EXPECT_EQ(outputOf("classes.cpp", "OutOfLine"), 11u);
  EXPECT_EQ(outputOf("templates.cpp", "ops::Maybe<true>"), 1u);
}

TEST(VertexClasses, VertexHeaderBringsWhatPublishedCodeletsUse) {
  EXPECT_EQ(outputOf("classes.cpp", "Along"), 22u);
}

TEST(VertexClasses, ClosedClassRunsWithoutBeingConstructed) {
  VertexObject vertex(vertexType("classes.cpp", "Closed"));
  const int in = 6;
  int out = 0;
  vertex.set("in", &in);
  vertex.set("factor", 7);
  vertex.set("out", &out);
  EXPECT_TRUE(vertex.run());
  EXPECT_EQ(out, 42);
}

TEST(VertexClasses, ResultIsWhatComputeReturns) {
  for (const char *name : {"Undecided", "Trailing"})
    for (const bool answer : {true, false}) {
      VertexObject vertex(vertexType("classes.cpp", name));
      vertex.set("answer", answer);
      EXPECT_EQ(vertex.run(), answer) << name;
    }
}

TEST(VertexClasses, InheritedFieldsComeFirstAndWork) {
  const auto &type = vertexType("classes.cpp", "Sum");
  ASSERT_EQ(type.numFields, 3u);
  VertexObject vertex(type);
  std::vector<float> in{1, 2, 3};
  float sum = 0;
  vertex.setVector("in", in);
  vertex.set("scale", 10.0f);
  vertex.set("sum", &sum);
  EXPECT_TRUE(vertex.run());
  EXPECT_EQ(sum, 60);
  EXPECT_STREQ(type.fields[2].name, "sum");
}

TEST(VertexClasses, FieldsOfBasesThatDependOnParametersWork) {
  VertexObject vertex(vertexType("templates.cpp", "ops::Twice<int>"));
  std::vector<int> in{1, 2, 3};
  int total = 100;
  vertex.setVector("in", in);
  vertex.set("total", &total);
  vertex.set("start", 5);
  EXPECT_STREQ(vertex.field("total").elementType, "int");
  EXPECT_TRUE(vertex.run());
  EXPECT_EQ(total, 117);
  EXPECT_EQ(vertexType("templates.cpp", "ops::TwicePlain").numFields, 4u);
}

TEST(VertexClasses, SpecialisationsHaveTheirOwnFields) {
  const auto onlyField = [](const char *name) {
    return std::string(vertexType("templates.cpp", name).fields[0].name);
  };
  EXPECT_EQ(onlyField("ops::Special<float,false>"), "general");
  EXPECT_EQ(onlyField("ops::Special<float,true>"), "partial");
  EXPECT_EQ(onlyField("ops::Special<int,true>"), "full");
}

TEST(VertexClasses, StateOutlivesTheCall) {
  VertexObject vertex(vertexType("classes.cpp", "Counter"));
  unsigned out = 0;
  vertex.set("out", &out);
  vertex.set("calls", 40u);
  vertex.run();
  vertex.run();
  EXPECT_EQ(out, 42u);
}

TEST(VertexClasses, MultiVertexRunsEveryWorkerAndAllMustSucceed) {
  VertexObject vertex(vertexType("classes.cpp", "Workers"));
  std::vector<unsigned> workers(8, 99);
  vertex.setVector("workers", workers);
  vertex.set("failing", 6u);
  EXPECT_TRUE(vertex.run());
  EXPECT_THAT(workers, ElementsAre(0, 1, 2, 3, 4, 5, 0, 1));
  vertex.set("failing", 2u);
  workers.assign(8, 99);
  EXPECT_FALSE(vertex.run());
  EXPECT_THAT(workers, ElementsAre(0, 1, 2, 3, 4, 5, 0, 1));
}

TEST(VertexClasses, RunFunctionCoversARangeOfObjects) {
  const auto &type = vertexType("classes.cpp", "Undecided");
  std::vector<char> answers(5 * 64, 0);
  const auto offset = type.fields[0].offset;
  for (const int i : {1, 2, 4})
    answers[64 * i + offset] = 1;
  EXPECT_TRUE(type.run(answers.data(), 64, 1, 3));
  EXPECT_TRUE(type.run(answers.data(), 64, 4, 5));
  EXPECT_FALSE(type.run(answers.data(), 64, 1, 4));
  EXPECT_TRUE(type.run(answers.data(), 64, 3, 3));
}

TEST(VertexClasses, DeviceAttributesAndHeadersMeanNothingHere) {
  VertexObject vertex(vertexType("device.cpp", "Supervised"));
  unsigned out = 0;
  vertex.set("out", &out);
  EXPECT_TRUE(vertex.run());
  EXPECT_EQ(out, 42u);
}

} // namespace
