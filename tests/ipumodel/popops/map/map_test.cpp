#include "tests/ipumodel/popops/operators.hpp"

#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <cstdlib>
#include <gmock/gmock.h>
#include <limits>
#include <sstream>

using namespace poplar;
using namespace popops::expr;
using operators::Bench;
using operators::counting;
using popops::map;
using popops::mapInPlace;
using popops::mapWithOutput;
using poputil::poplibs_error;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::FloatEq;

TEST(Map, EvaluatesAWholeExpression) {
  Bench b;
  const Tensor x = b.floats({3}, {1, 4, 9}), y = b.floats({3}, {2, 2, 2});
  const Tensor z =
      map(b.graph, Sqrt(_1) * 10.0f + _2 - Const(1), {x, y}, b.prog);
  EXPECT_EQ(z.elementType(), FLOAT);
  EXPECT_THAT(b.floatsOf(z), ElementsAre(11, 21, 31));
}

TEST(Map, LeavesUnusedTensorsAlone) {
  Bench b;
  const Tensor x = b.floats({2}, {1, 2}), other = b.ints({7}, {});
  EXPECT_THAT(b.floatsOf(map(b.graph, -_2, {other, x}, b.prog)),
              ElementsAre(-1, -2));
}

TEST(Map, BroadcastsLikeNumPy) {
  Bench b;
  const Tensor matrix = b.floats({2, 3}, {0, 1, 2, 3, 4, 5});
  const Tensor row = b.floats({3}, {10, 20, 30});
  const Tensor column = b.floats({2, 1}, {100, 200});
  const Tensor scalar = b.floats({}, {1000});
  const Tensor sum =
      map(b.graph, _1 + _2 + _3 + _4, {matrix, row, column, scalar}, b.prog);
  EXPECT_EQ(sum.shape(), operators::Shape({2, 3}));
  EXPECT_THAT(b.floatsOf(sum), ElementsAre(1110, 1121, 1132, 1213, 1224, 1235));
}

TEST(Map, BroadcastsOperandsAgainstEachOther) {
  Bench b;
  const Tensor row = b.floats({1, 3}, {1, 2, 3}),
               column = b.floats({2, 1}, {10, 20});
  const Tensor product = popops::mul(b.graph, row, column, b.prog);
  EXPECT_EQ(product.shape(), operators::Shape({2, 3}));
  EXPECT_THAT(b.floatsOf(product), ElementsAre(10, 20, 30, 20, 40, 60));
}

TEST(Map, ResultIsANewVariableMappedCompletely) {
  Bench b;
  const Tensor x = b.floats({100}, counting(100));
  const Tensor y = map(b.graph, _1, {x}, b.prog);
  std::size_t mapped = 0;
  for (const auto &tile : b.graph.getTileMapping(y))
    for (const Interval &interval : tile)
      mapped += interval.size();
  EXPECT_EQ(mapped, 100u);
  mapInPlace(b.graph, _1 * 0.0f, {x}, b.prog);
  EXPECT_THAT(b.floatsOf(y), ElementsAreArray(counting(100)));
}

TEST(Map, WalksViewsOfAnyStrides) {
  for (const std::size_t rows : {1u, 2u, 7u, 64u, 600u})
    for (const std::size_t columns : {1u, 3u, 16u, 65u, 700u}) {
      Bench b;
      const Tensor x = b.floats({rows, columns}, counting(rows * columns));
      const Tensor y = b.floats({columns, rows}, counting(rows * columns));
      const Tensor sum =
          map(b.graph, _1 * 2.0f + _2, {x.transpose(), y.reverse(0)}, b.prog);
      std::vector<float> expected;
      for (std::size_t i = 0; i < columns; ++i)
        for (std::size_t j = 0; j < rows; ++j)
          expected.push_back(2 * float(j * columns + i) +
                             float((columns - 1 - i) * rows + j));
      EXPECT_EQ(b.floatsOf(sum), expected) << rows << "x" << columns;
    }
}

TEST(Map, WritesToViewsOfAnyStrides) {
  Bench b;
  const Tensor x = b.floats({5, 4}, counting(20));
  const Tensor out = b.floats({6, 5}, std::vector<float>(30, -1));
  mapWithOutput(b.graph, _1 + 100.0f, {x},
                out.slice({1, 0}, {5, 5}).transpose(), b.prog);
  const std::vector<float> values = b.floatsOf(out);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      EXPECT_EQ(values[i * 5 + j],
                i == 0 || i == 5 ? -1 : 100 + float(j * 4 + i - 1));
}

TEST(Map, TensorsOfManyPiecesAreOnePass) {
  Bench b;
  std::vector<Tensor> pieces;
  std::vector<float> expected;
  for (std::size_t n = 1; n < 40; ++n) {
    pieces.push_back(b.floats({n}, std::vector<float>(n, float(n))));
    expected.insert(expected.end(), n, 3 * float(n));
  }
  const Tensor all = concat(pieces);
  mapInPlace(b.graph, _1 * 3.0f, {all}, b.prog);
  EXPECT_EQ(b.floatsOf(all), expected);
}

TEST(Map, TensorsWithoutElementsAreFine) {
  Bench b;
  const Tensor x = b.floats({0, 3}, {}), y = b.floats({3}, {1, 2, 3});
  const Tensor z = map(b.graph, _1 + _2, {x, y}, b.prog);
  EXPECT_EQ(z.shape(), operators::Shape({0, 3}));
  b.run();
}

TEST(MapInPlace, SeesOnlyOldValues) {
  Bench b;
  const Tensor x = b.floats({2000}, counting(2000));
  mapInPlace(b.graph, _1 + _2, {x, x.reverse(0)}, b.prog);
  EXPECT_EQ(b.floatsOf(x), std::vector<float>(2000, 1999));
}

TEST(MapInPlace, SeesOldValuesOfAnElementItOverwrites) {
  Bench b;
  const Tensor x = b.floats({1500}, std::vector<float>(1500, 2));
  mapInPlace(b.graph, _1 * _2, {x, x[0]}, b.prog);
  EXPECT_EQ(b.floatsOf(x), std::vector<float>(1500, 4));
}

TEST(MapInPlace, SeesOldValuesOfAShiftedSelf) {
  Bench b;
  const Tensor x = b.floats({3000}, counting(3000));
  mapInPlace(b.graph, _2, {x.slice(1, 3000), x.slice(0, 2999)}, b.prog);
  std::vector<float> expected = counting(2999);
  expected.insert(expected.begin(), 0);
  EXPECT_EQ(b.floatsOf(x), expected);
}

TEST(MapInPlace, OfSeveralExpressionsAllSeeOldValues) {
  Bench b;
  const Tensor x = b.floats({3}, {1, 2, 3}), y = b.floats({3}, {10, 20, 30});
  mapInPlace(b.graph, std::vector<Any>{_2 + 0.5f, _1 * _2}, {x, y}, b.prog);
  const std::string first = b.watch(x), second = b.watch(y);
  b.run();
  EXPECT_THAT(b.read<float>(first, 3), ElementsAre(10.5, 20.5, 30.5));
  EXPECT_THAT(b.read<float>(second, 3), ElementsAre(10, 40, 90));
}

TEST(MapInPlace, OfExpressionsOfDifferentShapesAllSeeOldValues) {
  Bench b;
  const Tensor x = b.floats({3}, {1, 2, 3}), y = b.floats({}, {10});
  mapInPlace(b.graph, std::vector<Any>{_1 + _2, _2 * 2.0f}, {x, y}, b.prog);
  const std::string first = b.watch(x), second = b.watch(y);
  b.run();
  EXPECT_THAT(b.read<float>(first, 3), ElementsAre(11, 12, 13));
  EXPECT_THAT(b.read<float>(second, 1), ElementsAre(20));
}

TEST(MapInPlace, RefusesMoreExpressionsThanTensors) {
  Bench b;
  const Tensor x = b.floats({3}, {1, 2, 3});
  EXPECT_THROW(mapInPlace(b.graph, std::vector<Any>{_1, _1}, {x}, b.prog),
               poplibs_error);
}

TEST(MapInPlace, RefusesResultsOfAnotherShapeOrType) {
  Bench b;
  const Tensor x = b.floats({3}, {1, 2, 3}), y = b.floats({2, 3}, counting(6));
  EXPECT_THROW(mapInPlace(b.graph, _1 + _2, {x, y}, b.prog), poplibs_error);
  EXPECT_THROW(mapInPlace(b.graph, _1 > 1.0f, {x}, b.prog), poplibs_error);
  EXPECT_THROW(mapInPlace(b.graph, _1 + 1.0f, {x.broadcast(2, 0)}, b.prog),
               poplibs_error);
}

TEST(Map, OfSeveralExpressionsSharesThePass) {
  Bench b;
  const Tensor x = b.floats({2}, {1, 2});
  const auto results =
      map(b.graph, std::vector<Any>{_1 + 1.0f, _1 > 1.5f}, {x}, b.prog);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[1].elementType(), BOOL);
  const std::string first = b.watch(results[0]), second = b.watch(results[1]);
  b.run();
  EXPECT_THAT(b.read<float>(first, 2), ElementsAre(2, 3));
  EXPECT_THAT(b.read<std::uint8_t>(second, 2), ElementsAre(0, 1));
}

TEST(MapWithOutput, OfSeveralExpressionsRunsInOrder) {
  Bench b;
  const Tensor x = b.floats({2}, {1, 2}), y = b.floats({2}, {0, 0});
  mapWithOutput(b.graph, std::vector<Any>{_1 * 10.0f, _1 + 1.0f}, {x}, {x, y},
                b.prog);
  EXPECT_THAT(b.floatsOf(y), ElementsAre(11, 21));
  EXPECT_THROW(
      mapWithOutput(b.graph, std::vector<Any>{_1}, {x}, {x, y}, b.prog),
      poplibs_error);
}

TEST(MapTypes, AConstantTakesTheTypeOfItsSibling) {
  Bench b;
  const Tensor x = b.ints({2}, {7, 8}), h = b.halves({2}, {1, 2});
  EXPECT_EQ(map(b.graph, _1 + 1.0f, {x}, b.prog).elementType(), INT);
  EXPECT_EQ(map(b.graph, Const(1) + _1, {h}, b.prog).elementType(), HALF);
  EXPECT_EQ(map(b.graph, (_1 + 1) * (Const(2) + 3), {h}, b.prog).elementType(),
            HALF);
  EXPECT_EQ(map(b.graph, _1 < 1, {h}, b.prog).elementType(), BOOL);
}

TEST(MapTypes, SelectOfConstantsHasTheirOwnType) {
  Bench b;
  const Tensor c = b.tensor<unsigned char>(BOOL, {2}, {1, 0});
  const Tensor picked =
      map(b.graph, Select(Const(1u), Const(2u), _1), {c}, b.prog);
  EXPECT_EQ(picked.elementType(), UNSIGNED_INT);
  EXPECT_THAT(b.result<unsigned>(picked), ElementsAre(1, 2));
  EXPECT_THROW(map(b.graph, Select(Const(1u), Const(2), _1), {c}, b.prog),
               poplibs_error);
}

TEST(MapTypes, RefusesWhatDoesNotFit) {
  Bench b;
  const Tensor f = b.floats({2}, {1, 2}), h = b.halves({2}, {1, 2});
  const auto refused = [&](const Expr &expr) {
    EXPECT_THROW(map(b.graph, expr, {f, h}, b.prog), poplibs_error) << expr;
  };
  refused(_1 + _2);
  refused(_3);
  refused(PlaceHolder(0));
  refused(Const(1) < Const(2));
  refused(Cast(Const(1), FLOAT));
  refused(Const(1.0f));
  refused(Select(_1, _1, _1));
  refused(Clamp(Const(1), _1, _1));
  refused(Clamp(_1, _2, _2));
  refused(Select(_1, _2, _1 > 0.0f));
  refused(_1 & 1);
  refused(_1 && _1);
  refused(VarianceToInvStdDev(_1, _1));
}

TEST(MapTypes, RefusesUnknownOptions) {
  Bench b;
  const Tensor x = b.floats({2}, {1, 2});
  EXPECT_NO_THROW(map(b.graph, _1, {x}, b.prog, {},
                      {{"enableGenerateCodelet", "false"},
                       {"enableVectorBroadcastOptimisations", "false"},
                       {"forceGenerateCodelet", "true"},
                       {"enableExpressionOptimizations", "false"}}));
  EXPECT_THROW(map(b.graph, _1, {x}, b.prog, {}, {{"fast", "true"}}),
               invalid_option);
}

TEST(MapTypes, RefusesShapesThatDoNotBroadcast) {
  Bench b;
  const Tensor x = b.floats({2}, {1, 2}), y = b.floats({3}, {1, 2, 3});
  EXPECT_THROW(map(b.graph, _1 + _2, {x, y}, b.prog), poplibs_error);
}

TEST(MapRewrites, PowersOfFewExponentsAreOtherOperators) {
  const auto text = [](const Expr &expr, const Type &type) {
    Bench b;
    std::ostringstream os;
    popops::outputGeneratedCodelet(b.graph.getTarget(), expr,
                                   {b.variable(type, {1})}, {}, os);
    return os.str();
  };
  using testing::HasSubstr;
  using testing::Not;
  EXPECT_THAT(text(Pow(_1, Const(0.5f)), FLOAT), HasSubstr("SQRT"));
  EXPECT_THAT(text(Pow(_1, Const(-0.5f)), FLOAT), HasSubstr("RSQRT"));
  EXPECT_THAT(text(Pow(_1, Const(-1)), FLOAT), HasSubstr("INVERSE"));
  EXPECT_THAT(text(Pow(_1, Const(2)), FLOAT), HasSubstr("SQUARE"));
  EXPECT_THAT(text(Pow(_1, Const(3)), FLOAT), HasSubstr("POWER"));
  EXPECT_THAT(text(_1 % 8u, UNSIGNED_INT), HasSubstr("BITWISE_AND"));
  EXPECT_THAT(text(_1 / 8u, UNSIGNED_INT), HasSubstr("SHIFT_RIGHT"));
  EXPECT_THAT(text(_1 / 8u, INT), HasSubstr("DIVIDE"));
  for (const Any &same :
       {Any(_1 + 0.0f), Any(_1 * 1.0f), Any(_1 / 1.0f), Any(_1 - 0.0f),
        Any(0.0f + _1), Any(1.0f * _1), Any(Pow(_1, Const(1)))})
    EXPECT_EQ(text(same, FLOAT), "v0 = _1\nreturn v0\n");
  EXPECT_THAT(text(0.0f - _1, FLOAT), HasSubstr("SUBTRACT"));
}

TEST(MapRewrites, MinusZeroPlusZeroStaysMinusZeroAsInPopLibs) {
  Bench b;
  const Tensor x = b.floats({1}, {-0.0f});
  EXPECT_TRUE(
      std::signbit(b.floatsOf(map(b.graph, _1 + 0.0f, {x}, b.prog))[0]));
}

TEST(MapHalf, EachOperationRounds) {
  Bench b;
  // 2048 + 1 is a tie in half and goes to 2048; in float it would not.
  const Tensor x = b.halves({1}, {2048});
  EXPECT_THAT(b.floatsOf(map(b.graph, (_1 + 1) + 1, {x}, b.prog)),
              ElementsAre(2048));
}

TEST(MapHalf, CastsToFloatDoNot) {
  Bench b;
  const Tensor x = b.halves({1}, {2048});
  EXPECT_THAT(b.floatsOf(map(b.graph, Cast((Cast(_1, FLOAT) + 1) + 1, HALF),
                             {x}, b.prog)),
              ElementsAre(2050));
}

TEST(MapHalf, MultipliesBySingleFloats) {
  Bench b;
  const Tensor x = b.halves({2}, {1, 3}), scale = b.floats({}, {0.1f});
  const Tensor y = popops::mul(b.graph, x, scale, b.prog);
  const Tensor z = popops::mul(b.graph, scale, x, b.prog);
  popops::mulInPlace(b.graph, x, scale, b.prog);
  EXPECT_EQ(y.elementType(), HALF);
  const std::string a = b.watch(x), c = b.watch(y), d = b.watch(z);
  b.run();
  const std::vector<std::uint16_t> expected = b.read<std::uint16_t>(a, 2);
  EXPECT_EQ(operators::halfToFloat(expected[0]), 0.0999755859375f);
  EXPECT_EQ(b.read<std::uint16_t>(c, 2), expected);
  EXPECT_EQ(b.read<std::uint16_t>(d, 2), expected);
  EXPECT_THROW(popops::add(b.graph, x, scale, b.prog), poplibs_error);
  EXPECT_THROW(popops::mul(b.graph, x, b.floats({2}, {1, 2}), b.prog),
               poplibs_error);
}

TEST(Map, TheSameBitsOnAnyNumberOfThreads) {
  const auto run = [](const char *threads) {
    setenv("IPUMODEL_THREADS", threads, 1);
    Bench b;
    std::vector<float> values(100003);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::sin(float(i)) * 3;
    const Tensor x = b.floats({values.size()}, values);
    const Tensor y =
        map(b.graph, Tanh(_1) * Exp(-_1) + Log(Abs(_1) + 0.1f) / Sin(_1), {x},
            b.prog);
    const std::vector<float> result = b.floatsOf(y);
    unsetenv("IPUMODEL_THREADS");
    return result;
  };
  const std::vector<float> one = run("1");
  EXPECT_EQ(run("2"), one);
  EXPECT_EQ(run("4"), one);
}

TEST(Map, ProductsInSumsAreRoundedLikeAnyOther) {
  Bench b;
  const std::size_t n = 1000;
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = std::sin(float(i)) * 3;
  const Tensor x = b.floats({n}, values), y = x.reverse(0), z = x[3];
  const Tensor product = popops::mul(b.graph, x, y, b.prog);
  std::vector<std::pair<std::string, std::string>> pairs;
  const auto expectSame = [&](const Tensor &apart, const Expr &together) {
    pairs.emplace_back(b.watch(apart),
                       b.watch(map(b.graph, together, {x, y, z}, b.prog)));
  };
  expectSame(popops::add(b.graph, product, z, b.prog), _1 * _2 + _3);
  expectSame(popops::add(b.graph, z, product, b.prog), _3 + _1 * _2);
  expectSame(popops::sub(b.graph, product, z, b.prog), _1 * _2 - _3);
  expectSame(popops::sub(b.graph, z, product, b.prog), _3 - _1 * _2);
  expectSame(popops::add(b.graph, product, product, b.prog), _1 * _2 + _1 * _2);
  b.run();
  for (const auto &[apart, together] : pairs)
    EXPECT_EQ(b.read<float>(apart, n), b.read<float>(together, n)) << apart;
}

TEST(Map, RunsOnEveryReplica) {
  Bench b(2, 2);
  const Tensor x = b.floats({3}, {1, 2, 3});
  mapInPlace(b.graph, _1 * 2.0f, {x}, b.prog);
  b.graph.createHostRead("x", x);
  b.run();
  EXPECT_THAT(b.read<float>("x", 6), ElementsAre(2, 4, 6, 2, 4, 6));
}

TEST(Map, ProgramsAreKeptInExecutables) {
  Bench b;
  const Tensor x = b.floats({3}, {1, 2, 3});
  mapInPlace(b.graph, Select(_1 * 2.0f, Const(-1), _1 > 1.5f), {x}, b.prog);
  b.graph.createHostRead("x", x);
  std::stringstream file;
  compileGraph(b.graph, {b.prog}).serialize(file);
  b.engine = std::make_unique<Engine>(Executable::deserialize(file));
  b.engine->load(b.device);
  b.engine->run(0);
  EXPECT_THAT(b.read<float>("x", 3), ElementsAre(-1, 4, 6));
}
