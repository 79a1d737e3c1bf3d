#include "compiled.hpp"
#include "vertex_object.hpp"

#include <poplar/Vertex.hpp>

#include <gmock/gmock.h>

using ipumodel::abi::Direction;
using ipumodel::abi::Form;
using ipumodel::abi::Span;
using poplar::VectorLayout;
using poplar::VectorListLayout;
using testing::ElementsAre;

namespace {

struct Expected {
  const char *name;
  const char *type;
  Direction direction;
  Form form;
  unsigned minAlign;
  VectorLayout layout = VectorLayout::NOT_A_VECTOR;
  VectorListLayout listLayout = VectorListLayout::NOT_A_VECTOR;
};

void expectFields(const std::string &vertexName,
                  const std::vector<Expected> &expected) {
  const auto &vertex = vertexType("fields.cpp", vertexName);
  ASSERT_EQ(vertex.numFields, expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(expected[i].name);
    const auto &field = vertex.fields[i];
    EXPECT_STREQ(field.name, expected[i].name);
    EXPECT_STREQ(field.elementType, expected[i].type);
    EXPECT_EQ(field.direction, expected[i].direction);
    EXPECT_EQ(field.form, expected[i].form);
    EXPECT_EQ(field.minAlign, expected[i].minAlign);
    EXPECT_EQ(field.vectorLayout, unsigned(expected[i].layout));
    EXPECT_EQ(field.vectorListLayout, unsigned(expected[i].listLayout));
  }
}

TEST(VertexFields, EveryVectorLayoutIsReadWithItsAlignment) {
  const auto vector = [](const char *name, unsigned align,
                         VectorLayout layout) {
    return Expected{name,         "float", Direction::input,
                    Form::vector, align,   layout};
  };
  expectFields("AllLayouts",
               {vector("span", 4, VectorLayout::SPAN),
                vector("shortSpan", 16, VectorLayout::SHORT_SPAN),
                vector("onePtr", 8, VectorLayout::ONE_PTR),
                vector("scaled32", 4, VectorLayout::SCALED_PTR32),
                vector("scaled64", 8, VectorLayout::SCALED_PTR64),
                vector("scaled128", 16, VectorLayout::SCALED_PTR128),
                // No less than the element needs.
                vector("compact", 4, VectorLayout::COMPACT_PTR),
                {"sum", "float", Direction::output, Form::scalar, 4}});
}

TEST(VertexFields, EveryVectorLayoutWorks) {
  VertexObject vertex(vertexType("fields.cpp", "AllLayouts"));
  std::vector<float> value{0.5f};
  float sum = 0;
  for (const char *name : {"span", "shortSpan", "onePtr", "scaled32",
                           "scaled64", "scaled128", "compact"})
    vertex.setVector(name, value);
  vertex.set("sum", &sum);
  EXPECT_TRUE(vertex.run());
  EXPECT_EQ(sum, 3.5f);
}

TEST(VertexFields, StatesOfAllTypesAreRead) {
  const auto state = [](const char *name, const char *type, unsigned align) {
    return Expected{name, type, Direction::state, Form::scalar, align};
  };
  expectFields(
      "States",
      {state("yes", "bool", 1),
       state("letter", "char", 1),
       state("byte", "unsigned char", 1),
       state("small", "short", 2),
       state("portion", "unsigned short", 2),
       state("number", "int", 4),
       state("big", "long long", 8),
       state("real", "float", 4),
       state("little", "half", 2),
       {"list", "short", Direction::state, Form::vector, 2, VectorLayout::SPAN},
       {"table", "int", Direction::state, Form::vectorOfVectors, 4,
        VectorLayout::SPAN},
       {"sum", "double", Direction::output, Form::scalar, 8}});
}

TEST(VertexFields, StatesOfAllTypesWork) {
  VertexObject vertex(vertexType("fields.cpp", "States"));
  vertex.set("yes", true);
  vertex.set("letter", char(1));
  vertex.set("byte", static_cast<unsigned char>(200));
  vertex.set("small", short(-3));
  vertex.set("portion", static_cast<unsigned short>(60000));
  vertex.set("number", -1000000);
  vertex.set("big", 1ll << 40);
  vertex.set("real", 0.5f);
  vertex.set("little", half(0.25f));
  std::vector<short> list{10, 20};
  std::vector<int> row0{100}, row1{200, 300};
  vertex.setVector("list", list);
  vertex.setRows<Span>(
      "table", {VertexObject::spanOf(row0), VertexObject::spanOf(row1)});
  double sum = 0;
  vertex.set("sum", &sum);
  EXPECT_TRUE(vertex.run());
  EXPECT_EQ(sum, 1 + 200 - 3 + 60000 - 1000000 + double(1ll << 40) + 0.75 + 30 +
                     600);
}

TEST(VertexFields, RaggedRowsAreRead) {
  expectFields(
      "Ragged",
      {{"rows", "int", Direction::input, Form::vectorOfVectors, 4,
        VectorLayout::SPAN},
       {"list", "int", Direction::input, Form::vectorOfVectors, 8,
        VectorLayout::NOT_A_VECTOR, VectorListLayout::DELTAN},
       {"sums", "int", Direction::output, Form::vectorOfVectors, 16,
        VectorLayout::ONE_PTR},
       {"both", "int", Direction::inOut, Form::vectorOfVectors, 4,
        VectorLayout::NOT_A_VECTOR, VectorListLayout::DELTANELEMENTS}});
}

TEST(VertexFields, RaggedRowsWork) {
  VertexObject vertex(vertexType("fields.cpp", "Ragged"));
  std::vector<int> a{1, 2, 3}, b{4}, c{5, 6, 7}, d{8}, sumA(1), sumB(1);
  const auto span = [](std::vector<int> &v) { return VertexObject::spanOf(v); };
  vertex.setRows<Span>("rows", {span(a), span(b)});
  vertex.setRows<Span>("list", {span(c), span(d)});
  vertex.setRows<Span>("sums", {span(sumA), span(sumB)});
  vertex.setRows<Span>("both", {span(d), span(c)});
  EXPECT_TRUE(vertex.run());
  EXPECT_EQ(sumA[0], 5 + 12 + 21);
  EXPECT_EQ(sumB[0], 32);
  EXPECT_THAT(c, ElementsAre(-5, -6, -7));
  EXPECT_THAT(d, ElementsAre(-8));
}

TEST(VertexFields, VectorsOfScalarEdgesReachEachElement) {
  expectFields("Scattered", {{"from", "float", Direction::input,
                              Form::vectorOfScalars, 4, VectorLayout::SPAN},
                             {"to", "float", Direction::inOut,
                              Form::vectorOfScalars, 4, VectorLayout::SPAN}});
  VertexObject vertex(vertexType("fields.cpp", "Scattered"));
  float a = 1, b = 2, x = 10, y = 20;
  vertex.setRows<float *>("from", {&b, &a});
  vertex.setRows<float *>("to", {&x, &y});
  EXPECT_TRUE(vertex.run());
  EXPECT_EQ(y, 21);
  EXPECT_EQ(x, 21); // assigned from y
}

TEST(VertexFields, EdgesHaveTheOperationsCodeletsUse) {
  VertexObject vertex(vertexType("fields.cpp", "Operations"));
  std::vector<int> in{1, 2, 3}, inOut{0, 0};
  int scalar = 4;
  const int one = 1;
  vertex.setVector("in", in);
  vertex.setVector("inOut", inOut);
  vertex.set("scalar", &scalar);
  vertex.set("one", &one);
  EXPECT_TRUE(vertex.run());
  EXPECT_EQ(scalar, 16);
  EXPECT_THAT(inOut, ElementsAre(15, 1 + 3 + 2 + 3 + 2));
}

} // namespace
