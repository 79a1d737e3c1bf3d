#include "outfeed/health/injection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

namespace popscope::outfeed {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Injection, IsReadAsItIsWritten) {
  const Injection injection =
      parseInjection("nan:conv_1_preacts@update=37,index=11");
  EXPECT_EQ(injection.tensor, "conv_1_preacts");
  EXPECT_EQ(injection.update, Update(37));
  EXPECT_EQ(injection.microBatch, 0u);
  EXPECT_FALSE(injection.moment);
  EXPECT_EQ(injection.fault.kind, FaultKind::nan);
  EXPECT_EQ(injection.fault.index, std::optional<std::size_t>(11));
  EXPECT_FALSE(injection.fault.replica);
}

TEST(Injection, TakesNamesWithColonsAndEverySetting) {
  const Injection injection =
      parseInjection("flip:conv_1/kernel:0_grad@update=3,micro_batch=2,"
                     "replica=1,bit=30,at=accumulated");
  EXPECT_EQ(injection.tensor, "conv_1/kernel:0_grad");
  EXPECT_EQ(injection.microBatch, 2u);
  EXPECT_EQ(injection.fault.replica, std::optional<unsigned>(1));
  EXPECT_EQ(injection.fault.bit, 30u);
  EXPECT_EQ(injection.fault.index, std::optional<std::size_t>(0));
  EXPECT_EQ(injection.moment, graph::TapMoment::accumulated);
}

TEST(Injection, ScalesTheWholeTensorUnlessAnIndexIsGiven) {
  const Injection injection = parseInjection("scale:loss@update=0,factor=1e3");
  EXPECT_EQ(injection.fault.factor, 1000.0f);
  EXPECT_FALSE(injection.fault.index);
}

TEST(Injection, SaysWhatIsWrongWithIt) {
  const auto expectFailure = [](const char *text, const char *problem) {
    EXPECT_THAT([&] { (void)parseInjection(text); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(problem)))
        << text;
  };
  expectFailure("conv_0_acts", "is not WHAT:TENSOR@update=U");
  expectFailure("nan:@update=1", "names no tensor");
  expectFailure("zero:loss@update=1", "is none of nan, inf, -inf, flip");
  expectFailure("nan:loss@index=1", "needs update=N");
  expectFailure("nan:loss@update=x", "needs a number for update, not 'x'");
  expectFailure("nan:loss@update=99999999999", "needs a number for update");
  expectFailure("nan:loss@update=1,indx=3", "did you mean index?");
  expectFailure("nan:loss@update=1,update=2", "gives update twice");
  expectFailure("nan:loss@update=1,bit=3", "has no use for bit");
  expectFailure("flip:loss@update=1", "needs bit=N");
  expectFailure("scale:loss@update=1,factor=x", "needs factor=F");
  expectFailure("nan:loss@update=1,at=now", "has no moment 'now'");
  expectFailure("nan:loss@update=1,", "where NAME=VALUE is expected");
}

} // namespace
} // namespace popscope::outfeed
