#include "pva/cbor.hpp"

#include <cstring>
#include <stdexcept>

namespace ipumodel {

namespace {

enum MajorType : unsigned {
  kUnsigned = 0,
  kNegative = 1,
  kBytes = 2,
  kText = 3,
  kArray = 4,
  kMap = 5,
  kTag = 6,
  kSimple = 7,
};

constexpr std::uint64_t kSelfDescribedTag = 55799;
constexpr unsigned kFalse = 20;
constexpr unsigned kTrue = 21;
constexpr unsigned kDouble = 27;

} // namespace

// The argument is stored in the fewest bytes possible, big-endian.
void CborWriter::head(unsigned majorType, std::uint64_t argument) {
  const auto put = [&](unsigned info, int bytes) {
    out_.put(static_cast<char>(majorType << 5 | info));
    for (int i = bytes - 1; i >= 0; --i)
      out_.put(static_cast<char>(argument >> 8 * i));
  };
  if (argument < 24)
    put(static_cast<unsigned>(argument), 0);
  else if (argument <= 0xff)
    put(24, 1);
  else if (argument <= 0xffff)
    put(25, 2);
  else if (argument <= 0xffffffff)
    put(26, 4);
  else
    put(27, 8);
}

void CborWriter::selfDescribe() { head(kTag, kSelfDescribedTag); }

void CborWriter::unsignedInteger(std::uint64_t value) {
  head(kUnsigned, value);
}

void CborWriter::number(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  out_.put(static_cast<char>(kSimple << 5 | kDouble));
  for (int i = 7; i >= 0; --i)
    out_.put(static_cast<char>(bits >> 8 * i));
}

void CborWriter::boolean(bool value) { head(kSimple, value ? kTrue : kFalse); }

void CborWriter::text(std::string_view value) {
  head(kText, value.size());
  out_.write(value.data(), static_cast<std::streamsize>(value.size()));
}

void CborWriter::array(std::size_t count) { head(kArray, count); }

void CborWriter::map(std::size_t count) { head(kMap, count); }

void CborReader::fail(const std::string &problem) const {
  throw std::runtime_error(problem + " at byte " + std::to_string(position_));
}

std::string_view CborReader::take(std::uint64_t bytes) {
  if (bytes > document_.size() - position_)
    fail("the file ends within an item");
  const std::string_view taken =
      document_.substr(position_, static_cast<std::size_t>(bytes));
  position_ += taken.size();
  return taken;
}

CborReader::Head CborReader::head() {
  const unsigned first = static_cast<unsigned char>(take(1)[0]);
  Head head{first >> 5, first & 0x1f, first & 0x1f};
  if (head.info < 24)
    return head;
  if (head.info > 27)
    fail("an item of a kind that reports do not use");
  head.argument = 0;
  for (const char c : take(std::uint64_t(1) << (head.info - 24)))
    head.argument = head.argument << 8 | static_cast<unsigned char>(c);
  return head;
}

std::uint64_t CborReader::expect(unsigned majorType, const char *what) {
  const std::size_t begin = position_;
  const Head item = head();
  if (item.majorType == majorType)
    return item.argument;
  position_ = begin;
  fail(std::string("expected ") + what);
}

std::size_t CborReader::countOf(std::uint64_t argument) const {
  if (argument > document_.size() - position_)
    fail("the file ends within a list");
  return static_cast<std::size_t>(argument);
}

void CborReader::selfDescribe() {
  if (expect(kTag, "the tag of a CBOR file") != kSelfDescribedTag)
    fail("expected the tag of a CBOR file");
}

std::uint64_t CborReader::unsignedInteger() {
  return expect(kUnsigned, "an unsigned integer");
}

double CborReader::number() {
  const std::size_t begin = position_;
  const Head item = head();
  if (item.majorType != kSimple || item.info != kDouble) {
    position_ = begin;
    fail("expected a double-precision number");
  }
  double value;
  std::memcpy(&value, &item.argument, sizeof(value));
  return value;
}

bool CborReader::boolean() {
  const std::size_t begin = position_;
  const Head item = head();
  if (item.majorType != kSimple ||
      (item.info != kFalse && item.info != kTrue)) {
    position_ = begin;
    fail("expected true or false");
  }
  return item.info == kTrue;
}

std::string_view CborReader::text() { return take(expect(kText, "a text")); }

std::size_t CborReader::array() { return countOf(expect(kArray, "an array")); }

std::size_t CborReader::map() { return countOf(expect(kMap, "a map")); }

void CborReader::skip() {
  std::uint64_t items = 1; // no recursion: the file determines the depth
  while (items > 0) {
    --items;
    const Head item = head();
    switch (item.majorType) {
    case kBytes:
    case kText:
      take(item.argument);
      break;
    case kArray:
      items += countOf(item.argument);
      break;
    case kMap:
      items += 2 * std::uint64_t(countOf(item.argument));
      break;
    case kTag:
      ++items;
      break;
    default:
      break;
    }
  }
}

void CborReader::finish() {
  if (position_ != document_.size())
    fail("there are more bytes after the report");
}

} // namespace ipumodel
