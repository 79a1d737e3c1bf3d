// Tests of kernels that are compiled for several instruction sets.
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <hwy/targets.h>

// Calls test() once for each instruction set of the processor.
template <class Test> void onEveryInstructionSet(Test &&test) {
  const std::int64_t supported = hwy::SupportedTargets();
  for (std::int64_t left = supported & HWY_TARGETS; left != 0;
       left &= left - 1) {
    const std::int64_t target = left & -left;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::GetChosenTarget().Update(target);
    test();
  }
  hwy::GetChosenTarget().Update(supported);
}
