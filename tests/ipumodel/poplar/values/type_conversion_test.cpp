#include "poplar/values/type_info.hpp"

#include <poplar/TypeConversion.hpp>
#include <poplar/exceptions.hpp>

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace poplar;
using ipumodel::OnOverflow;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

// One host value as a device type whose representation is `Device`.
template <class Device, class Host>
Device toDevice(const Type &type, Host value,
                OnOverflow onOverflow = OnOverflow::wrap) {
  Device device;
  ipumodel::convertToDevice(type, TypeTraits::make<Host>(), &value, 1, &device,
                            onOverflow);
  return device;
}

template <class Host, class Device>
Host fromDevice(const Type &type, Device device) {
  Host value;
  ipumodel::convertFromDevice(type, TypeTraits::make<Host>(), &device, 1,
                              &value);
  return value;
}

TEST(TypeConversion, NumbersKeepTheirValueAcrossTypes) {
  EXPECT_EQ(toDevice<float>(FLOAT, 7), 7.0f);
  EXPECT_EQ(toDevice<float>(FLOAT, 0.1), 0.1f);
  EXPECT_EQ(toDevice<int>(INT, -3.7f), -3);
  EXPECT_EQ(toDevice<unsigned short>(UNSIGNED_SHORT, 65535L), 65535);
  EXPECT_EQ(toDevice<std::uint16_t>(HALF, 1), 0x3c00);
  EXPECT_EQ(toDevice<std::uint16_t>(HALF, 1.0L), 0x3c00);
  EXPECT_EQ(toDevice<int>(INT, IeeeHalf(12.0f)), 12);
  EXPECT_EQ(fromDevice<double>(HALF, std::uint16_t(0x3c00)), 1.0);
  EXPECT_EQ(fromDevice<int>(FLOAT, 2.9f), 2);
  EXPECT_EQ(fromDevice<long long>(SIGNED_CHAR, std::int8_t(-5)), -5);
}

TEST(TypeConversion, BoolIsOneForEverythingButZero) {
  EXPECT_EQ(toDevice<unsigned char>(BOOL, 256), 1);
  EXPECT_EQ(toDevice<unsigned char>(BOOL, 0.5), 1);
  EXPECT_EQ(toDevice<unsigned char>(BOOL, 0), 0);
  EXPECT_EQ(fromDevice<float>(BOOL, true), 1.0f);
}

TEST(TypeConversion, IntegersWrapAndFloatsSaturateUnlessAskedToFail) {
  EXPECT_EQ(toDevice<unsigned>(UNSIGNED_INT, -1), ~0u);
  EXPECT_EQ(toDevice<unsigned char>(UNSIGNED_CHAR, 300), 44);
  EXPECT_EQ(toDevice<int>(INT, 1e20), std::numeric_limits<int>::max());
  EXPECT_EQ(toDevice<int>(INT, -1e20), std::numeric_limits<int>::min());
  EXPECT_EQ(toDevice<unsigned>(UNSIGNED_INT, -5.0f), 0u);
  EXPECT_EQ(toDevice<int>(INT, std::numeric_limits<float>::quiet_NaN()), 0);
}

TEST(TypeConversion, FailsExactlyOutsideTheRangeOfTheInteger) {
  const auto fits = [](const Type &type, auto value) {
    try {
      toDevice<std::uint64_t>(type, value, OnOverflow::fail);
      return true;
    } catch (const overflow_error &) {
      return false;
    }
  };
  EXPECT_TRUE(fits(UNSIGNED_SHORT, 65535));
  EXPECT_FALSE(fits(UNSIGNED_SHORT, 65536));
  EXPECT_FALSE(fits(UNSIGNED_SHORT, -1));
  EXPECT_TRUE(fits(SHORT, -32768));
  EXPECT_FALSE(fits(SHORT, 32768u));
  EXPECT_TRUE(fits(INT, -2147483648.9));
  EXPECT_FALSE(fits(INT, -2147483649.0));
  EXPECT_FALSE(fits(INT, 2147483648.0f));
  EXPECT_TRUE(fits(LONGLONG, -0x1p63));
  EXPECT_FALSE(fits(LONGLONG, 0x1p63));
  EXPECT_FALSE(fits(LONGLONG, std::numeric_limits<std::uint64_t>::max()));
  EXPECT_TRUE(fits(UNSIGNED_LONGLONG, -0.5));
  EXPECT_FALSE(fits(UNSIGNED_LONGLONG, 0x1p64));
  EXPECT_FALSE(fits(INT, std::numeric_limits<double>::quiet_NaN()));
}

TEST(TypeConversion, OverflowNamesTheValue) {
  try {
    toDevice<unsigned char>(UNSIGNED_CHAR, 300, OnOverflow::fail);
    FAIL();
  } catch (const overflow_error &error) {
    EXPECT_THAT(error.what(), HasSubstr("300"));
    EXPECT_THAT(error.what(), HasSubstr("unsigned"));
  }
}

TEST(TypeConversion, UnalignedDataIsFine) {
  const float values[] = {1, 2, 3};
  char device[7];
  ipumodel::convertToDevice(HALF, TypeTraits::make<float>(), values, 3,
                            device + 1);
  float back[3];
  ipumodel::convertFromDevice(HALF, TypeTraits::make<float>(), device + 1, 3,
                              back);
  EXPECT_THAT(back, ElementsAre(1, 2, 3));
}

TEST(TypeConversion, RefusesTypesThatAreNoNumbers) {
  const std::string text = "x";
  char device[8];
  EXPECT_THROW(ipumodel::convertToDevice(INT, TypeTraits::make<std::string>(),
                                         &text, 1, device),
               type_error);
  EXPECT_THROW(toDevice<int>(Type(), 1), type_error);
}

TEST(TypeConversion, PublicFormsTakeVectorsAndViews) {
  const std::vector<double> values{1, -2, 0.5};
  std::vector<char> device(values.size() * 2);
  convertToDeviceType(HALF, values, device.data());
  std::vector<float> back(values.size());
  convertFromDeviceType(HALF, device.data(), back);
  EXPECT_THAT(back, ElementsAre(1, -2, 0.5f));
  convertFromDeviceType(HALF, device.data(), gccs::ArrayRef(back));
  EXPECT_THAT(back, ElementsAre(1, -2, 0.5f));
}

} // namespace
