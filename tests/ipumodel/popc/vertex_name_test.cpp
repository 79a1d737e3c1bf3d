#include "poplar/codelet/vertex_name.hpp"

#include <gtest/gtest.h>

using ipumodel::normaliseVertexName;

namespace {

TEST(VertexName, CanonicalNamesStayAsTheyAre) {
  for (const char *name :
       {"Foo", "ns::Foo<float,4,true>", "a::B<unsigned int,signed char>",
        "popops::BinaryOp1D<popops::expr::BinaryOpType::ADD,half>",
        "V<poplar::VectorLayout::SPAN,-3>", "V<unsigned long long,long long>",
        "V<W<X<char>>>", "unsignedness::Signed<long_t>"})
    EXPECT_EQ(normaliseVertexName(name), name);
}

TEST(VertexName, BlanksStayOnlyBetweenWords) {
  EXPECT_EQ(normaliseVertexName(" ns :: Foo < float , 4 , true > "),
            "ns::Foo<float,4,true>");
  EXPECT_EQ(normaliseVertexName("Foo<unsigned   char, Bar<int> >"),
            "Foo<unsigned char,Bar<int>>");
}

TEST(VertexName, IntegerTypesAreSpelledAsTypesAre) {
  EXPECT_EQ(normaliseVertexName("V<unsigned>"), "V<unsigned int>");
  EXPECT_EQ(normaliseVertexName("V<unsigned,signed,short int,long int>"),
            "V<unsigned int,int,short,long>");
  EXPECT_EQ(normaliseVertexName("V<long unsigned int,unsigned short int>"),
            "V<unsigned long,unsigned short>");
  EXPECT_EQ(normaliseVertexName("V<signed char,_Bool,long long unsigned>"),
            "V<signed char,bool,unsigned long long>");
}

TEST(VertexName, NumbersLoseSuffixesAndCasts) {
  EXPECT_EQ(normaliseVertexName("V<4u, 5UL, -6ll, 0x10>"), "V<4,5,-6,16>");
  EXPECT_EQ(normaliseVertexName("V<(unsigned int)4, (ns::E)3, (char)97>"),
            "V<4,3,97>");
}

TEST(VertexName, ScopesThatNeedNoNameVanish) {
  EXPECT_EQ(normaliseVertexName("::ns::V<::ns::T>"), "ns::V<ns::T>");
  EXPECT_EQ(normaliseVertexName("ns::(anonymous namespace)::V"), "ns::V");
  EXPECT_EQ(normaliseVertexName("(anonymous namespace)::V<class T>"), "V<T>");
}

} // namespace
