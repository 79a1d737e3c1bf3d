// The message of the exception a call throws, if it has exactly the expected
// type.
#pragma once

#include <exception>
#include <gtest/gtest.h>
#include <string>
#include <typeinfo>

template <class Error, class F> std::string messageOf(F &&f) {
  try {
    f();
  } catch (const std::exception &e) {
    EXPECT_TRUE(typeid(e) == typeid(Error))
        << "threw " << typeid(e).name() << ": " << e.what();
    return e.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}
