// Parses textual options into variables. Unknown options and invalid values
// throw poplar::invalid_option.
#pragma once

#include <poplar/StringRef.hpp>
#include <poplar/exceptions.hpp>

#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#if __cplusplus >= 201703L
#include <optional>
#endif
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplibs {

namespace parse {

// The whole text must be a number, decimal or hexadecimal with 0x.
template <typename T> T asInteger(const poplar::StringRef &str) {
  const std::string text = str;
  std::istringstream in(text);
  if (text.find("0x") != std::string::npos)
    in >> std::hex;
  T result{};
  in >> result;
  if (in.fail() || !in.eof())
    throw poplar::invalid_option("Not a valid integer");
  return result;
}

template <typename T> T asFloatingPoint(const poplar::StringRef &str) {
  std::istringstream in{std::string(str)};
  T result{};
  in >> result;
  if (in.fail())
    throw poplar::invalid_option("Not a floating point number");
  return result;
}

template <typename T>
static inline std::string
describeEnumValues(const std::map<std::string, T> &valueMap) {
  std::string text;
  for (const auto &entry : valueMap)
    text += (text.empty() ? "'" : ", '") + entry.first + "'";
  return "[" + text + "]";
}

template <typename T>
T asEnum(const poplar::StringRef &value, const std::map<std::string, T> &map) {
  const auto it = map.find(value);
  if (it == map.end())
    throw poplar::invalid_option("Not one of the values: " +
                                 describeEnumValues(map));
  return it->second;
}

inline bool asBool(const poplar::StringRef &value) {
  return asEnum<bool>(value, {{"true", true}, {"false", false}});
}

} // namespace parse

// Handles the value of one option. The functions below make handlers that store
// it in a variable, to which they keep a reference.
class OptionHandler {
public:
  template <typename T,
            typename = typename std::enable_if<!std::is_base_of<
                OptionHandler, typename std::decay<T>::type>::value>::type>
  OptionHandler(T &&valueHandler)
      : valueHandler_(std::forward<T>(valueHandler)) {}

  void parseValue(poplar::StringRef value) const { valueHandler_(value); }

  template <typename T, typename ValueMapT = std::map<std::string, T>>
  static inline OptionHandler createWithEnum(T &output, ValueMapT &&valueMap) {
    const std::map<std::string, T> map(std::forward<ValueMapT>(valueMap));
    return OptionHandler([map, &output](poplar::StringRef value) {
      output = parse::asEnum<T>(value, map);
    });
  }

  // The value is parsed as an int, whatever T is.
  template <typename T>
  static inline OptionHandler createWithInteger(T &output) {
    return OptionHandler([&output](poplar::StringRef value) {
      output = parse::asInteger<int>(value);
    });
  }

  template <typename T> static inline OptionHandler createWithBool(T &output) {
    return OptionHandler([&output](poplar::StringRef value) {
      output = static_cast<T>(parse::asBool(value));
    });
  }

  template <typename T>
  static inline void ensureValueIsWithinBounds(T value, const T &lowerBound,
                                               bool lowerBoundIsInclusive,
                                               const T &upperBound,
                                               bool upperBoundIsInclusive) {
    const auto orEqual = [](bool inclusive) {
      return std::string(inclusive ? "or equal to " : "");
    };
    if (value < lowerBound || (value == lowerBound && !lowerBoundIsInclusive))
      throw poplar::invalid_option("Value must be greater than " +
                                   orEqual(lowerBoundIsInclusive) +
                                   std::to_string(lowerBound));
    if (value > upperBound || (value == upperBound && !upperBoundIsInclusive))
      throw poplar::invalid_option("Value must be less than " +
                                   orEqual(upperBoundIsInclusive) +
                                   std::to_string(upperBound));
  }

  // Without bounds, any positive number is valid.
  template <typename T>
  static inline OptionHandler
  createWithDouble(T &output,
                   double lowerBound = std::numeric_limits<double>::min(),
                   bool lowerBoundIsInclusive = true,
                   double upperBound = std::numeric_limits<double>::max(),
                   bool upperBoundIsInclusive = true) {
    return OptionHandler([&output, lowerBound, lowerBoundIsInclusive,
                          upperBound,
                          upperBoundIsInclusive](poplar::StringRef value) {
      const double number = parse::asFloatingPoint<double>(value);
      ensureValueIsWithinBounds(number, lowerBound, lowerBoundIsInclusive,
                                upperBound, upperBoundIsInclusive);
      output = number;
    });
  }

  static inline OptionHandler createWithString(std::string &output) {
    return OptionHandler(
        [&output](poplar::StringRef value) { output = std::string(value); });
  }

  // Comma-separated integers, appended to the vector.
  template <typename T>
  static inline OptionHandler createWithList(std::vector<T> &output) {
    return OptionHandler([&output](poplar::StringRef values) {
      std::istringstream in{std::string(values)};
      for (std::string element; std::getline(in, element, ',');) {
        try {
          output.push_back(parse::asInteger<T>(element));
        } catch (const poplar::invalid_option &) {
          throw poplar::invalid_option(
              "Not a comma-separated list of integers");
        }
      }
    });
  }

private:
  std::function<void(poplar::StringRef)> valueHandler_;
};

// The known options.
class OptionSpec {
  using value_type = std::pair<const std::string, OptionHandler>;
  using map_type = std::map<const std::string, OptionHandler>;
  using initializer_list_t = std::initializer_list<value_type>;

public:
  OptionSpec(initializer_list_t &&handlers) : handlers_(handlers) {}

  void parse(poplar::StringRef option, poplar::StringRef value,
             bool ignoreUnknown = false) const {
    const auto it = handlers_.find(option);
    if (it == handlers_.end()) {
      if (ignoreUnknown)
        return;
      throw poplar::invalid_option("Unrecognised option '" +
                                   std::string(option) + "'");
    }
    try {
      it->second.parseValue(value);
    } catch (const poplar::invalid_option &e) {
      throw poplar::invalid_option("Invalid value '" + std::string(value) +
                                   "' for option '" + std::string(option) +
                                   "': " + e.what());
    }
  }

private:
  map_type handlers_;
};

#if __cplusplus >= 201703L

template <typename T>
inline OptionHandler createOptionalDoubleHandler(
    std::optional<T> &output,
    double lowerBound = std::numeric_limits<double>::min(),
    bool lowerBoundIsInclusive = true,
    double upperBound = std::numeric_limits<double>::max(),
    bool upperBoundIsInclusive = true) {
  return OptionHandler([&output, lowerBound, lowerBoundIsInclusive, upperBound,
                        upperBoundIsInclusive](poplar::StringRef value) {
    const double number = parse::asFloatingPoint<double>(value);
    OptionHandler::ensureValueIsWithinBounds(number, lowerBound,
                                             lowerBoundIsInclusive, upperBound,
                                             upperBoundIsInclusive);
    output = static_cast<T>(number);
  });
}

// "none" means no value.
template <typename T, typename ValueMapT = std::map<std::string, T>>
inline OptionHandler createOptionalEnumHandler(std::optional<T> &output,
                                               ValueMapT &&valueMap) {
  const std::map<std::string, T> map(std::forward<ValueMapT>(valueMap));
  return OptionHandler([map, &output](poplar::StringRef value) {
    if (value == "none")
      output = std::nullopt;
    else
      output = parse::asEnum<T>(value, map);
  });
}

#endif // C++17

} // namespace poplibs
