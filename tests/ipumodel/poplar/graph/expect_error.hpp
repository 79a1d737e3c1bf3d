// Expects an error of exactly one type whose message contains several texts.
#pragma once

#include <poplar/exceptions.hpp>

#include <gmock/gmock.h>
#include <initializer_list>
#include <string>

template <class Error, class F>
void expectError(F &&f, std::initializer_list<const char *> words) {
  try {
    f();
  } catch (const Error &error) {
    for (const char *word : words)
      EXPECT_THAT(error.what(), testing::HasSubstr(word));
    return;
  } catch (const std::exception &error) {
    FAIL() << "another error: " << error.what();
  }
  FAIL() << "no error";
}
