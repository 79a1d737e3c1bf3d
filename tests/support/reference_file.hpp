// Reads files written by tests/support/reference_file.py: results of another
// implementation to compare ours with.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
#include <zlib.h>

namespace testsupport {

struct ReferenceArray {
  std::vector<std::size_t> shape;
  std::vector<float> floats;         // of float arrays, widened if half
  std::vector<std::uint16_t> halves; // of half arrays
  std::vector<std::int32_t> ints;    // of integer arrays
};

struct ReferenceCase {
  std::map<std::string, std::int64_t> numbers;
  std::map<std::string, std::string> texts;
  std::map<std::string, ReferenceArray> arrays;

  std::int64_t number(const std::string &name) const {
    return numbers.at(name);
  }
  const std::string &text(const std::string &name) const {
    return texts.at(name);
  }
  const ReferenceArray &array(const std::string &name) const {
    return arrays.at(name);
  }
  // An integer array as a list of T.
  template <class T> std::vector<T> list(const std::string &name) const {
    const std::vector<std::int32_t> &values = arrays.at(name).ints;
    return std::vector<T>(values.begin(), values.end());
  }
};

class ReferenceReader {
public:
  explicit ReferenceReader(const std::string &path) {
    gzFile file = gzopen(path.c_str(), "rb");
    if (!file)
      throw std::runtime_error("cannot open " + path);
    char buffer[65536];
    int got;
    while ((got = gzread(file, buffer, sizeof(buffer))) > 0)
      bytes_.append(buffer, static_cast<std::size_t>(got));
    gzclose(file);
    if (take(4) != "REF1")
      throw std::runtime_error(path + " is not a reference file");
  }

  std::vector<ReferenceCase> cases() {
    std::vector<ReferenceCase> result(get<std::uint32_t>());
    for (ReferenceCase &item : result)
      for (auto entries = get<std::uint32_t>(); entries > 0; --entries)
        readEntry(item);
    return result;
  }

private:
  void readEntry(ReferenceCase &item) {
    const std::string name = take(get<std::uint32_t>());
    const char letter = get<char>();
    if (letter == 'i') {
      item.numbers[name] = get<std::int64_t>();
      return;
    }
    if (letter == 's') {
      item.texts[name] = take(get<std::uint32_t>());
      return;
    }
    ReferenceArray &array = item.arrays[name];
    std::size_t count = 1;
    for (auto rank = get<std::uint32_t>(); rank > 0; --rank) {
      array.shape.push_back(get<std::uint32_t>());
      count *= array.shape.back();
    }
    if (letter == 'f')
      readArray(array.floats, count);
    else if (letter == 'h')
      readArray(array.halves, count);
    else
      readArray(array.ints, count);
  }

  template <class T> void readArray(std::vector<T> &values, std::size_t count) {
    values.resize(count);
    const std::string bytes = take(count * sizeof(T));
    if (count)
      std::memcpy(values.data(), bytes.data(), bytes.size());
  }

  template <class T> T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::string take(std::size_t count) {
    if (bytes_.size() - at_ < count)
      throw std::runtime_error("reference file ends early");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  std::string bytes_;
  std::size_t at_ = 0;
};

} // namespace testsupport
