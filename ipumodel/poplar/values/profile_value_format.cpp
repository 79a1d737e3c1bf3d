// ProfileValue as JSON and as CBOR.
#include "poplar/base/json.hpp"

#include <poplar/ProfileValue.hpp>

#include <cmath>
#include <cstring>
#include <ostream>
#include <string>

namespace poplar {
namespace {

class JsonWriter {
public:
  JsonWriter(std::ostream &out, bool pretty) : out_(out), pretty_(pretty) {}

  void write(const ProfileValue &value) {
    switch (value.type()) {
    case ProfileValue::Type::BOOL_:
      out_ << (value.asBool() ? "true" : "false");
      break;
    case ProfileValue::Type::STRING:
      ipumodel::writeJsonString(out_, value.asString());
      break;
    case ProfileValue::Type::NUMBER:
      ipumodel::writeJsonNumber(out_, value.asDouble());
      break;
    case ProfileValue::Type::VECTOR:
      writeList('[', value.asVector(), ']',
                [&](const ProfileValue &element) { write(element); });
      break;
    case ProfileValue::Type::MAP:
      writeList('{', value.asMap(), '}', [&](const auto &member) {
        ipumodel::writeJsonString(out_, member.first);
        out_ << (pretty_ ? ": " : ":");
        write(member.second);
      });
      break;
    }
  }

private:
  template <class List, class WriteItem>
  void writeList(char open, const List &list, char close, WriteItem writeItem) {
    out_ << open;
    ++depth_;
    bool first = true;
    for (const auto &item : list) {
      if (!first)
        out_ << ',';
      first = false;
      newLine();
      writeItem(item);
    }
    --depth_;
    if (!list.empty())
      newLine();
    out_ << close;
  }

  void newLine() {
    if (pretty_)
      out_ << '\n' << std::string(2 * depth_, ' ');
  }

  std::ostream &out_;
  const bool pretty_;
  std::size_t depth_ = 0;
};

// RFC 8949. Every item starts with a major type and a number of up to 64 bits.
class CborWriter {
public:
  explicit CborWriter(std::ostream &out) : out_(out) {}

  enum Major : unsigned {
    unsignedInteger,
    negativeInteger,
    bytes,
    text,
    array,
    map,
    tag,
    simple
  };

  void writeHead(Major major, std::uint64_t number) {
    if (number < 24)
      writeBytes(major << 5 | number, 1);
    else if (number <= 0xff)
      writeByteAnd(major, 24, number, 1);
    else if (number <= 0xffff)
      writeByteAnd(major, 25, number, 2);
    else if (number <= 0xffffffff)
      writeByteAnd(major, 26, number, 4);
    else
      writeByteAnd(major, 27, number, 8);
  }

  void write(const ProfileValue &value) {
    switch (value.type()) {
    case ProfileValue::Type::BOOL_:
      writeHead(simple, value.asBool() ? 21 : 20);
      break;
    case ProfileValue::Type::STRING:
      writeText(value.asString());
      break;
    case ProfileValue::Type::NUMBER:
      writeNumber(value.asDouble());
      break;
    case ProfileValue::Type::VECTOR:
      writeHead(array, value.size());
      for (const ProfileValue &element : value.asVector())
        write(element);
      break;
    case ProfileValue::Type::MAP:
      writeHead(map, value.size());
      for (const auto &[key, member] : value.asMap()) {
        writeText(key);
        write(member);
      }
      break;
    }
  }

private:
  void writeBytes(std::uint64_t number, unsigned count) {
    while (count-- > 0)
      out_.put(char(number >> 8 * count & 0xff));
  }

  void writeByteAnd(Major major, unsigned form, std::uint64_t number,
                    unsigned count) {
    writeBytes(major << 5 | form, 1);
    writeBytes(number, count);
  }

  void writeText(const std::string &string) {
    writeHead(text, string.size());
    out_ << string;
  }

  // Whole numbers are written as integers, the rest as 64-bit floats.
  void writeNumber(double number) {
    constexpr double kExact = 0x1p53;
    if (number == std::trunc(number) && std::fabs(number) <= kExact) {
      if (number >= 0)
        writeHead(unsignedInteger, std::uint64_t(number));
      else
        writeHead(negativeInteger, std::uint64_t(-number) - 1);
      return;
    }
    std::uint64_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    writeByteAnd(simple, 27, bits, 8);
  }

  std::ostream &out_;
};

constexpr std::uint64_t kSelfDescribedCbor = 55799;

} // namespace

void serializeToJSON(std::ostream &out, const ProfileValue &value,
                     bool prettyPrint) {
  JsonWriter(out, prettyPrint).write(value);
}

void serializeToCBOR(std::ostream &out, const ProfileValue &value,
                     bool withTag) {
  CborWriter writer(out);
  if (withTag)
    writer.writeHead(CborWriter::tag, kSelfDescribedCbor);
  writer.write(value);
}

std::ostream &operator<<(std::ostream &os, const ProfileValue &value) {
  serializeToJSON(os, value);
  return os;
}

} // namespace poplar
