#include "poplar/values/type_info.hpp"

#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/exceptions.hpp>

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <unordered_set>
#include <vector>

using namespace poplar;

namespace {

const std::vector<Type> kAll{BOOL,
                             CHAR,
                             UNSIGNED_CHAR,
                             SIGNED_CHAR,
                             SHORT,
                             UNSIGNED_INT,
                             INT,
                             UNSIGNED_LONG,
                             LONG,
                             LONGLONG,
                             UNSIGNED_LONGLONG,
                             QUARTER,
                             QUARTER_METADATA,
                             HALF,
                             FLOAT,
                             UNSIGNED_SHORT};

// Initialised before main, perhaps before libpoplar's own static objects.
const std::map<Type, std::size_t> kSizesAtStart{
    {FLOAT, FLOAT.hash()}, {HALF, HALF.hash()}, {INT, INT.hash()}};

// Programs have functions that take a Type &.
TEST(Type, NamesBindToReferences) {
  Type &type = UNSIGNED_INT;
  EXPECT_EQ(type, UNSIGNED_INT);
}

TEST(Type, ConstantsAreUsableInStaticInitialisers) {
  EXPECT_EQ(kSizesAtStart.size(), 3u);
  EXPECT_EQ(kSizesAtStart.count(FLOAT), 1u);
}

TEST(Type, AllAreDifferentAndNoneIsInvalid) {
  EXPECT_EQ(std::set<Type>(kAll.begin(), kAll.end()).size(), kAll.size());
  EXPECT_EQ(std::unordered_set<Type>(kAll.begin(), kAll.end()).size(),
            kAll.size());
  for (const Type &type : kAll)
    EXPECT_NE(type, Type());
  EXPECT_EQ(Type(), Type());
}

TEST(Type, IsSpelledAsInC) {
  EXPECT_EQ(UNSIGNED_INT.toString(), "unsigned int");
  EXPECT_EQ(LONGLONG.toString(), "long long");
  EXPECT_EQ(HALF.toString(), "half");
  std::ostringstream os;
  os << UNSIGNED_SHORT << '/' << BOOL;
  EXPECT_EQ(os.str(), "unsigned short/bool");
}

TEST(Type, IsFoundByItsName) {
  for (const Type &type : kAll) {
    const std::string name = type.toString();
    EXPECT_EQ(ipumodel::typeFromName(name), type) << name;
  }
  EXPECT_FALSE(ipumodel::typeFromName("double"));
  EXPECT_FALSE(ipumodel::typeFromName("<invalid>"));
}

TEST(Type, KnowsFloatsAndWhatNeedsMetadata) {
  for (const Type &type : kAll) {
    const bool isFloat = type == FLOAT || type == HALF || type == QUARTER;
    EXPECT_EQ(type.isFloatingPoint(), isFloat) << type;
    EXPECT_EQ(type.requiresMetadata(), type == QUARTER) << type;
  }
}

TEST(Type, HasTheSizeOfItsHostEquivalent) {
  EXPECT_EQ(ipumodel::sizeOf(equivalent_device_type<bool>().value),
            sizeof(bool));
  EXPECT_EQ(ipumodel::sizeOf(equivalent_device_type<short>().value),
            sizeof(short));
  EXPECT_EQ(ipumodel::sizeOf(equivalent_device_type<unsigned>().value),
            sizeof(unsigned));
  EXPECT_EQ(ipumodel::sizeOf(equivalent_device_type<long long>().value),
            sizeof(long long));
  EXPECT_EQ(ipumodel::sizeOf(equivalent_device_type<IeeeHalf>().value),
            sizeof(IeeeHalf));
  EXPECT_EQ(ipumodel::sizeOf(equivalent_device_type<float>().value),
            sizeof(float));
}

TEST(Type, InvalidHasNoSize) {
  EXPECT_THROW(ipumodel::sizeOf(Type()), type_error);
}

TEST(TypeTraits, DescribeHostNumbers) {
  const TypeTraits traits = TypeTraits::make<unsigned short>();
  EXPECT_EQ(traits.size, sizeof(unsigned short));
  EXPECT_TRUE(traits.isIntegral);
  EXPECT_FALSE(traits.isFloat);
  EXPECT_FALSE(traits.isSigned);
  EXPECT_TRUE(TypeTraits::make<IeeeHalf>().isFloat);
  EXPECT_TRUE(TypeTraits::make<IeeeHalf>().isSigned);
  EXPECT_TRUE(TypeTraits::isSimpleType<double>());
  EXPECT_FALSE(TypeTraits::isSimpleType<std::vector<int>>());
  EXPECT_FALSE(TypeTraits::make<std::vector<int>>().isSimpleType());
}

} // namespace
