// Element-wise expressions of any size run or are refused: the stack does not
// limit them.
#include "tests/ipumodel/popops/operators.hpp"
#include "tests/support/scoped_env.hpp"

#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <functional>
#include <gmock/gmock.h>
#include <memory>
#include <pthread.h>

using namespace poplar;
using namespace popops::expr;
using operators::Bench;
using operators::counting;
using popops::map;
using poputil::poplibs_error;
using testing::ElementsAre;

namespace {

// 1 x + (2 x + (3 x + ...)): every product is kept until the last is known.
std::unique_ptr<Expr> nestedSum(int terms) {
  std::unique_ptr<Expr> sum = (_1 * Const(float(terms))).clone();
  for (int i = terms - 1; i > 0; --i)
    sum = Add(_1 * Const(float(i)), *sum).clone();
  return sum;
}

std::unique_ptr<Expr> balancedSum(int first, int end) {
  if (end - first == 1)
    return (_1 * Const(float(first))).clone();
  const int middle = (first + end) / 2;
  return Add(*balancedSum(first, middle), *balancedSum(middle, end)).clone();
}

std::unique_ptr<Expr> sumOfInputs(unsigned first, unsigned end) {
  if (end - first == 1)
    return PlaceHolder(first).clone();
  const unsigned middle = (first + end) / 2;
  return Add(*sumOfInputs(first, middle), *sumOfInputs(middle, end)).clone();
}

// Calls f on a thread with a stack of so many bytes.
void onStackOf(std::size_t bytes, std::function<void()> f) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  const auto call = [](void *function) -> void * {
    (*static_cast<std::function<void()> *>(function))();
    return nullptr;
  };
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, call, &f), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

} // namespace

TEST(Map, AnExpressionMayNeedMoreSpaceThanTheStackHas) {
  Bench b;
  const Tensor x = b.floats({3}, {0, 1, 2});
  const Tensor y = map(b.graph, *nestedSum(400), {x}, b.prog);
  EXPECT_THAT(b.floatsOf(y), ElementsAre(0, 80200, 160400));
}

TEST(Map, SaysThatAnExpressionIsTooBig) {
  Bench b;
  const Tensor x = b.floats({3}, {0, 1, 2});
  const Tensor y = map(b.graph, *balancedSum(1, 6000), {x}, b.prog);
  EXPECT_THROW(b.floatsOf(y), poplibs_error);
}

TEST(Map, ManyTensorsNeedLittleStack) {
  const ScopedEnv env("IPUMODEL_THREADS", "1"); // which is this one
  constexpr unsigned kTensors = 7000;
  Bench b;
  const Tensor x = b.floats({kTensors, 2}, counting(2 * kTensors));
  std::vector<Tensor> inputs;
  for (unsigned i = 0; i < kTensors; ++i)
    inputs.push_back(x[i]);
  const Tensor y = map(b.graph, *sumOfInputs(1, kTensors + 1), inputs, b.prog);
  const std::string name = b.watch(y);
  b.run(0);
  onStackOf(384 * 1024, [&] { b.engine->run(0); });
  const float even = float(kTensors) * float(kTensors - 1);
  EXPECT_THAT(b.read<float>(name, 2),
              ElementsAre(testing::FloatEq(even),
                          testing::FloatEq(even + float(kTensors))));
}
