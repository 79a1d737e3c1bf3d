#include "poplar/base/json.hpp"

#include <poplar/ProfileValue.hpp>
#include <poplar/exceptions.hpp>

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

using poplar::OptionFlags;
using poplar::ProfileValue;
using testing::ElementsAre;
using Type = poplar::ProfileValue::Type;

namespace {

ProfileValue sample() {
  return ProfileValue::Map{
      {"bool", true},
      {"list", ProfileValue::Vector{1, 2.5, "three"}},
      {"name", "conv1"},
  };
}

std::string cbor(const ProfileValue &value, bool withTag = false) {
  std::ostringstream os;
  serializeToCBOR(os, value, withTag);
  return os.str();
}

std::string bytes(std::initializer_list<int> values) {
  return std::string(values.begin(), values.end());
}

TEST(ProfileValue, TakesTheTypeOfWhatItIsMadeFrom) {
  EXPECT_EQ(ProfileValue().type(), Type::NUMBER);
  EXPECT_EQ(ProfileValue(3u).type(), Type::NUMBER);
  EXPECT_EQ(ProfileValue(1.5f).type(), Type::NUMBER);
  EXPECT_EQ(ProfileValue("text").type(), Type::STRING);
  EXPECT_EQ(ProfileValue(std::string("text")).type(), Type::STRING);
  EXPECT_EQ(ProfileValue(ProfileValue::Vector()).type(), Type::VECTOR);
  EXPECT_EQ(ProfileValue(ProfileValue::Map()).type(), Type::MAP);
}

TEST(ProfileValue, OfABoolIsABoolInEveryFormOfInitialisation) {
  const ProfileValue copied = true;
  ProfileValue assigned;
  assigned = false;
  EXPECT_EQ(ProfileValue(true).type(), Type::BOOL_);
  EXPECT_EQ(copied.type(), Type::BOOL_);
  EXPECT_EQ(assigned.type(), Type::BOOL_);
}

TEST(ProfileValue, IsNotMadeFromPointers) {
  EXPECT_FALSE((std::is_convertible<int *, ProfileValue>::value));
}

TEST(ProfileValue, CopiesAreIndependentAndMovesCheap) {
  ProfileValue original = sample();
  ProfileValue copy = original;
  EXPECT_EQ(copy, sample());
  const ProfileValue::Map *map = &original.asMap();
  const ProfileValue moved = std::move(original);
  EXPECT_EQ(&moved.asMap(), map);
  copy = 1;
  EXPECT_EQ(moved, sample());
}

TEST(ProfileValue, CanBeAssignedAPartOfItself) {
  ProfileValue value = sample();
  const ProfileValue part = value["list"];
  value = value["list"];
  EXPECT_EQ(value, part);
}

TEST(ProfileValue, ReadingAsAnotherTypeThrows) {
  EXPECT_THROW(ProfileValue("1").asInt(), poplar::type_error);
  EXPECT_THROW(ProfileValue(1).asString(), poplar::type_error);
  EXPECT_THROW(ProfileValue(1).asMap(), poplar::type_error);
  EXPECT_THROW(ProfileValue(1).size(), poplar::type_error);
  EXPECT_THROW(ProfileValue(-1).asUint(), poplar::overflow_error);
}

TEST(ProfileValue, WhatIsNotThereThrowsOrIsNull) {
  const ProfileValue value = sample();
  EXPECT_THROW(value["nothing"], poplar::index_error);
  EXPECT_EQ(value.getOrNull("nothing"), nullptr);
  EXPECT_THROW(value["list"][3], poplar::index_error);
  EXPECT_EQ(value["list"][1].asDouble(), 2.5);
}

TEST(ProfileValue, AddsUpNumbers) {
  const ProfileValue row = ProfileValue::Vector{1, 2, 3};
  const ProfileValue table = ProfileValue::Vector{row, row};
  EXPECT_EQ(row.sumInt(), 6);
  EXPECT_EQ(row.sumUint(), 6u);
  EXPECT_EQ(row.sumDouble(), 6.0);
  EXPECT_EQ(table.sum2DInt(), 12);
  EXPECT_EQ(table.sum2DUint(), 12u);
  EXPECT_THAT(row.toUintVector(), ElementsAre(1, 2, 3));
}

TEST(ProfileValue, DifferentTypesAreNeverEqual) {
  EXPECT_NE(ProfileValue(true), ProfileValue(1));
  EXPECT_NE(ProfileValue("1"), ProfileValue(1));
  EXPECT_EQ(ProfileValue(1), ProfileValue(1.0));
}

TEST(ProfileValueJson, IsOneLineOrIndented) {
  std::ostringstream line, pretty;
  line << sample();
  EXPECT_EQ(line.str(),
            R"({"bool":true,"list":[1,2.5,"three"],"name":"conv1"})");
  serializeToJSON(pretty, ProfileValue::Map{{"a", ProfileValue::Vector{1}}},
                  true);
  EXPECT_EQ(pretty.str(), "{\n  \"a\": [\n    1\n  ]\n}");
}

TEST(ProfileValueJson, ReadsBackEqual) {
  for (const bool pretty : {false, true}) {
    std::ostringstream os;
    serializeToJSON(os, sample(), pretty);
    EXPECT_EQ(ipumodel::parseJson(os.str()), sample());
  }
}

// The examples of RFC 8949, appendix A.
TEST(ProfileValueCbor, MatchesTheExamplesOfTheStandard) {
  EXPECT_EQ(cbor(0), bytes({0x00}));
  EXPECT_EQ(cbor(23), bytes({0x17}));
  EXPECT_EQ(cbor(24), bytes({0x18, 0x18}));
  EXPECT_EQ(cbor(1000), bytes({0x19, 0x03, 0xe8}));
  EXPECT_EQ(cbor(1000000), bytes({0x1a, 0x00, 0x0f, 0x42, 0x40}));
  EXPECT_EQ(cbor(1000000000000),
            bytes({0x1b, 0x00, 0x00, 0x00, 0xe8, 0xd4, 0xa5, 0x10, 0x00}));
  EXPECT_EQ(cbor(-1), bytes({0x20}));
  EXPECT_EQ(cbor(-1000), bytes({0x39, 0x03, 0xe7}));
  EXPECT_EQ(cbor(1.1),
            bytes({0xfb, 0x3f, 0xf1, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a}));
  EXPECT_EQ(cbor(false), bytes({0xf4}));
  EXPECT_EQ(cbor(true), bytes({0xf5}));
  EXPECT_EQ(cbor("IETF"), bytes({0x64, 'I', 'E', 'T', 'F'}));
  EXPECT_EQ(cbor(ProfileValue::Vector{1, 2, 3}),
            bytes({0x83, 0x01, 0x02, 0x03}));
  EXPECT_EQ(
      cbor(ProfileValue::Map{{"a", 1}, {"b", ProfileValue::Vector{2, 3}}}),
      bytes({0xa2, 0x61, 'a', 0x01, 0x61, 'b', 0x82, 0x02, 0x03}));
}

TEST(ProfileValueCbor, NamesItselfOnRequest) {
  EXPECT_EQ(cbor(0, true), bytes({0xd9, 0xd9, 0xf7, 0x00}));
}

TEST(ProfileValue, OptionFlagsBecomeAMapOfStrings) {
  const ProfileValue value = getAsProfileValue(OptionFlags{{"k", "v"}});
  EXPECT_EQ(value["k"].asString(), "v");
  EXPECT_EQ(value.size(), 1u);
}

} // namespace
