// Records the name, arguments and results of a call to an operator.
#pragma once

#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/Type.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace poputil {

// Specialise this for every type whose values are to be recorded.
template <typename T> poplar::ProfileValue toProfileValue(const T &t);

template <> poplar::ProfileValue toProfileValue(const bool &t);
template <> poplar::ProfileValue toProfileValue(const unsigned char &t);
template <> poplar::ProfileValue toProfileValue(const int &t);
template <> poplar::ProfileValue toProfileValue(const unsigned int &t);
template <> poplar::ProfileValue toProfileValue(const unsigned long &t);
template <> poplar::ProfileValue toProfileValue(const long long &t);
template <> poplar::ProfileValue toProfileValue(const unsigned long long &t);
template <> poplar::ProfileValue toProfileValue(const float &t);
template <> poplar::ProfileValue toProfileValue(const double &t);
template <> poplar::ProfileValue toProfileValue(const std::string &t);

template <> poplar::ProfileValue toProfileValue(const poplar::ComputeSet &t);
template <> poplar::ProfileValue toProfileValue(const poplar::OptionFlags &t);
template <> poplar::ProfileValue toProfileValue(const poplar::program::Copy &t);
template <>
poplar::ProfileValue toProfileValue(const poplar::program::Sequence &t);
template <> poplar::ProfileValue toProfileValue(const poplar::Tensor &t);
template <>
poplar::ProfileValue toProfileValue(const poplar::TensorCloneMethod &t);
template <> poplar::ProfileValue toProfileValue(const poplar::Type &t);
template <> poplar::ProfileValue toProfileValue(const std::vector<bool> &t);

// The value the pointer points at.
template <typename T> poplar::ProfileValue toProfileValue(const T *t) {
  return t ? toProfileValue(*t) : poplar::ProfileValue("<nullptr>");
}

template <typename T> poplar::ProfileValue toProfileValue(T *const &t) {
  return t ? toProfileValue(*t) : poplar::ProfileValue("<nullptr>");
}

// Vectors and arrays become maps from the index, as text, to the element.
template <typename T>
poplar::ProfileValue toProfileValue(const std::vector<T> &t) {
  poplar::ProfileValue::Map elements;
  for (std::size_t i = 0; i < t.size(); ++i)
    elements.emplace(std::to_string(i), toProfileValue(t[i]));
  return poplar::ProfileValue(std::move(elements));
}

template <typename T, std::size_t N>
poplar::ProfileValue toProfileValue(const std::array<T, N> &t) {
  poplar::ProfileValue::Map elements;
  for (std::size_t i = 0; i < N; ++i)
    elements.emplace(std::to_string(i), toProfileValue(t[i]));
  return poplar::ProfileValue(std::move(elements));
}

template <typename T>
poplar::ProfileValue toProfileValue(const poplar::ArrayRef<T> &t) {
  poplar::ProfileValue::Vector elements;
  for (const T &element : t)
    elements.push_back(toProfileValue(element));
  return poplar::ProfileValue(std::move(elements));
}

template <typename T1, typename T2>
poplar::ProfileValue toProfileValue(const std::pair<T1, T2> &t) {
  poplar::ProfileValue::Map members;
  members.emplace("first", toProfileValue(t.first));
  members.emplace("second", toProfileValue(t.second));
  return poplar::ProfileValue(std::move(members));
}

// A named value.
class ArgType {
public:
  std::string n;
  poplar::ProfileValue pv;

  ArgType(const std::string &name, const poplar::ProfileValue &value)
      : n(name), pv(value) {}
  ArgType(const std::pair<std::string, const poplar::ProfileValue> &p)
      : n(p.first), pv(p.second) {}
};

class OpDebugInfo : public poplar::DebugInfo {
public:
  OpDebugInfo(const poplar::DebugContext &debugContext, std::string api);
  OpDebugInfo(const OpDebugInfo &) = delete;
  OpDebugInfo &operator=(const OpDebugInfo &) = delete;
  virtual ~OpDebugInfo() = default;

  // Adds one map with all arguments; nothing if there are none.
  void add(std::string name, const std::vector<ArgType> &args);
  void add(std::string name, poplar::ProfileValue pv);
};

// Created at the start of an operator and passed to the functions it calls:
//   PoplibsOpDebugInfo di(debugContext, DI_ARGS(a, b));
//   ... graph.addVariable(type, shape, {di, "out"}) ...
class PoplibsOpDebugInfo : public OpDebugInfo {
public:
  PoplibsOpDebugInfo(const poplar::DebugContext &debugContext,
                     const std::vector<ArgType> &args = {},
                     const std::string &api = __builtin_FUNCTION());
  PoplibsOpDebugInfo(const PoplibsOpDebugInfo &) = delete;
  PoplibsOpDebugInfo &operator=(const PoplibsOpDebugInfo &) = delete;
  virtual ~PoplibsOpDebugInfo() = default;

  void addOutputs(const std::vector<ArgType> &outputs);
  void addOutput(const poplar::Tensor &output);
};

} // namespace poputil

// DI_ARGS(a, b), for one to 16 variables, is {{"a", value of a}, {"b", ...}}.
#define DI_ARGS(...)                                                           \
  {                                                                            \
    POPUTIL_DI_PICK(__VA_ARGS__, POPUTIL_DI_16, POPUTIL_DI_15, POPUTIL_DI_14,  \
                    POPUTIL_DI_13, POPUTIL_DI_12, POPUTIL_DI_11,               \
                    POPUTIL_DI_10, POPUTIL_DI_9, POPUTIL_DI_8, POPUTIL_DI_7,   \
                    POPUTIL_DI_6, POPUTIL_DI_5, POPUTIL_DI_4, POPUTIL_DI_3,    \
                    POPUTIL_DI_2, POPUTIL_DI_1, )                              \
    (__VA_ARGS__)                                                              \
  }

// Expands to its 17th argument: the macro for the number of arguments before
// it.
#define POPUTIL_DI_PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12,     \
                        a13, a14, a15, a16, picked, ...)                       \
  picked
#define POPUTIL_DI_1(a)                                                        \
  { #a, ::poputil::toProfileValue(a) }
#define POPUTIL_DI_2(a, ...) POPUTIL_DI_1(a), POPUTIL_DI_1(__VA_ARGS__)
#define POPUTIL_DI_3(a, ...) POPUTIL_DI_1(a), POPUTIL_DI_2(__VA_ARGS__)
#define POPUTIL_DI_4(a, ...) POPUTIL_DI_1(a), POPUTIL_DI_3(__VA_ARGS__)
#define POPUTIL_DI_5(a, ...) POPUTIL_DI_1(a), POPUTIL_DI_4(__VA_ARGS__)
#define POPUTIL_DI_6(a, ...) POPUTIL_DI_1(a), POPUTIL_DI_5(__VA_ARGS__)
#define POPUTIL_DI_7(a, ...) POPUTIL_DI_1(a), POPUTIL_DI_6(__VA_ARGS__)
#define POPUTIL_DI_8(a, ...) POPUTIL_DI_1(a), POPUTIL_DI_7(__VA_ARGS__)
#define POPUTIL_DI_9(a, ...) POPUTIL_DI_1(a), POPUTIL_DI_8(__VA_ARGS__)
#define POPUTIL_DI_10(a, ...) POPUTIL_DI_1(a), POPUTIL_DI_9(__VA_ARGS__)
#define POPUTIL_DI_11(a, ...) POPUTIL_DI_1(a), POPUTIL_DI_10(__VA_ARGS__)
#define POPUTIL_DI_12(a, ...) POPUTIL_DI_1(a), POPUTIL_DI_11(__VA_ARGS__)
#define POPUTIL_DI_13(a, ...) POPUTIL_DI_1(a), POPUTIL_DI_12(__VA_ARGS__)
#define POPUTIL_DI_14(a, ...) POPUTIL_DI_1(a), POPUTIL_DI_13(__VA_ARGS__)
#define POPUTIL_DI_15(a, ...) POPUTIL_DI_1(a), POPUTIL_DI_14(__VA_ARGS__)
#define POPUTIL_DI_16(a, ...) POPUTIL_DI_1(a), POPUTIL_DI_15(__VA_ARGS__)
