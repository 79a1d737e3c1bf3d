#include "poplar/run/print_tensor.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <sstream>
#include <vector>

using namespace poplar;
using ipumodel::Shape;

namespace {

template <class T>
std::string textOf(const std::string &title, const Type &type,
                   const Shape &shape, const std::vector<T> &elements,
                   const PrintTensorFmt &format = PrintTensorFmt()) {
  std::ostringstream text;
  ipumodel::printTensor(text, title, type, shape, elements.data(), format);
  return text.str();
}

std::string floats(const std::vector<float> &values,
                   const PrintTensorFmt &format = PrintTensorFmt()) {
  return textOf("", FLOAT, {values.size()}, values, format);
}

std::vector<int> iota(std::size_t n) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

using Format = PrintTensorFmt::FloatFormat;

PrintTensorFmt withFormat(Format format, unsigned digits = 8) {
  return PrintTensorFmt(1000, 3, 75, digits, format);
}

TEST(PrintTensor, AVectorIsOneLineAfterItsTitle) {
  EXPECT_EQ(textOf<float>("v2", FLOAT, {4}, {7.f, 6.f, 4.5f, 2.5f}),
            "v2: [7.0000000 6.0000000 4.5000000 2.5000000]\n");
}

TEST(PrintTensor, WithoutATitleThereIsOnlyTheTensor) {
  EXPECT_EQ(textOf<int>("", INT, {3}, {1, -2, 3}), "[1 -2 3]\n");
}

TEST(PrintTensor, AScalarHasNoBrackets) {
  EXPECT_EQ(textOf<int>("n", INT, {}, {42}), "n: 42\n");
}

TEST(PrintTensor, AMatrixHasOneLinePerRow) {
  EXPECT_EQ(textOf("m", INT, {2, 3}, iota(6)), "m: [\n"
                                               " [0 1 2]\n"
                                               " [3 4 5]\n"
                                               "]\n");
}

TEST(PrintTensor, HigherRanksNest) {
  EXPECT_EQ(textOf("t", INT, {2, 2, 2}, iota(8)), "t: [\n"
                                                  " [\n"
                                                  "  [0 1]\n"
                                                  "  [2 3]\n"
                                                  " ]\n"
                                                  " [\n"
                                                  "  [4 5]\n"
                                                  "  [6 7]\n"
                                                  " ]\n"
                                                  "]\n");
}

TEST(PrintTensor, NoElementsAreEmptyBrackets) {
  EXPECT_EQ(textOf<int>("e", INT, {0}, {}), "e: []\n");
  EXPECT_EQ(textOf<int>("e", INT, {0, 3}, {}), "e: []\n");
  EXPECT_EQ(textOf<int>("e", INT, {2, 0}, {}), "e: [\n []\n []\n]\n");
}

TEST(PrintTensor, FloatsHaveEightDigitsOnBothSidesOfThePoint) {
  EXPECT_EQ(floats({12.5f, 7.f, -0.25f, 123.f}),
            "[12.500000 7.0000000 -0.2500000 123.00000]\n");
  EXPECT_EQ(floats({0.f, 0.f}), "[0.0000000 0.0000000]\n");
}

TEST(PrintTensor, RoundingUpToAnotherDigitCostsAPlace) {
  EXPECT_EQ(floats({9.996f, 9.994f}, withFormat(Format::Fixed, 3)),
            "[10.0 9.99]\n");
}

TEST(PrintTensor, MagnitudesDecideAboutExponentsForTheWholeTensor) {
  EXPECT_EQ(floats({1.4962566f, 2000.f}), "[1.4962566e+00 2.0000000e+03]\n");
  EXPECT_EQ(floats({1.f, 999.f}), "[1.0000000 999.00000]\n");
  EXPECT_EQ(floats({1e8f}), "[1.0000000e+08]\n");
  EXPECT_EQ(floats({1e-5f, 0.f}), "[9.9999997e-06 0.0000000e+00]\n");
}

TEST(PrintTensor, FloatFormatsOverrideTheMagnitudes) {
  EXPECT_EQ(floats({1.f, 2000.f}, withFormat(Format::Fixed)),
            "[1.0000000 2000.0000]\n");
  EXPECT_EQ(floats({1.f}, withFormat(Format::Scientific, 3)), "[1.00e+00]\n");
  EXPECT_EQ(floats({1.f, 0.1f, 2000.f}, withFormat(Format::None)),
            "[1 0.100000001 2000]\n");
}

TEST(PrintTensor, SpecialValuesHaveNamesAndDoNotDecide) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(floats({1.f, infinity, -infinity,
                    std::numeric_limits<float>::quiet_NaN()}),
            "[1.0000000 inf -inf nan]\n");
}

TEST(PrintTensor, HalvesAndBoolsAndBytesAreNumbers) {
  EXPECT_EQ(textOf<std::uint16_t>("h", HALF, {2}, {0x3c00, 0xc500}),
            "h: [1.0000000 -5.0000000]\n");
  EXPECT_EQ(textOf<std::uint8_t>("b", BOOL, {2}, {1, 0}), "b: [1 0]\n");
  EXPECT_EQ(textOf<std::int8_t>("c", SIGNED_CHAR, {2}, {65, -1}),
            "c: [65 -1]\n");
  EXPECT_EQ(textOf<std::uint8_t>("u", UNSIGNED_CHAR, {1}, {255}), "u: [255]\n");
  EXPECT_EQ(
      textOf<std::uint64_t>("l", UNSIGNED_LONGLONG, {1}, {~std::uint64_t(0)}),
      "l: [18446744073709551615]\n");
}

TEST(PrintTensor, LongRowsFoldBeforeTheLineWidth) {
  const PrintTensorFmt narrow(1000, 3, 12);
  EXPECT_EQ(textOf("", INT, {8}, iota(8), narrow), "[0 1 2 3 4\n"
                                                   " 5 6 7]\n");
  EXPECT_EQ(textOf("title", INT, {8}, iota(8), narrow), "title: [0 1\n"
                                                        " 2 3 4 5 6\n"
                                                        " 7]\n");
  EXPECT_EQ(textOf("", INT, {1, 8}, iota(8), narrow), "[\n"
                                                      " [0 1 2 3 4\n"
                                                      "  5 6 7]\n"
                                                      "]\n");
}

TEST(PrintTensor, NoLineIsWiderThanTheLineWidth) {
  for (unsigned width = 10; width < 80; ++width) {
    std::istringstream lines(
        textOf("t", INT, {300}, iota(300), PrintTensorFmt(1000, 3, width)));
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(line.size(), width) << line;
  }
}

TEST(PrintTensor, OtherSeparatorsSurviveTheFold) {
  const PrintTensorFmt format(1000, 3, 12, 8, Format::Auto, ',', '(', ')');
  EXPECT_EQ(textOf("", INT, {8}, iota(8), format), "(0,1,2,3,4,\n"
                                                   " 5,6,7)\n");
}

TEST(PrintTensor, ManyElementsShowOnlyTheEdges) {
  EXPECT_EQ(textOf("", INT, {1001}, iota(1001)), "[0 1 2 ... 998 999 1000]\n");
  EXPECT_EQ(textOf("", INT, {4, 4}, iota(16), PrintTensorFmt(15, 1)),
            "[\n"
            " [0 ... 3]\n"
            " ...\n"
            " [12 ... 15]\n"
            "]\n");
}

TEST(PrintTensor, ExactlyTheThresholdIsShownInFull) {
  const std::string text = textOf("", INT, {1000}, iota(1000));
  EXPECT_EQ(text.find("..."), std::string::npos);
}

TEST(PrintTensor, DimensionsNoLongerThanTheirEdgesAreShownInFull) {
  EXPECT_EQ(textOf("", INT, {2, 6}, iota(12), PrintTensorFmt(1, 3)),
            "[\n"
            " [0 1 2 3 4 5]\n"
            " [6 7 8 9 10 11]\n"
            "]\n");
}

TEST(PrintTensor, WithoutFormattingEveryElementHasAllItsDigits) {
  const std::vector<float> values(1100, 0.1f);
  const std::string text =
      textOf("", FLOAT, {1100}, values, PrintTensorFmt::disableFormatting());
  std::string expected = "[0.100000001";
  for (std::size_t i = 1; i < values.size(); ++i)
    expected += " 0.100000001";
  EXPECT_EQ(text, expected + "]\n");
}

} // namespace
