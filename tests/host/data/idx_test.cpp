#include "host/command.hpp"
#include "host/data/gzip_file.hpp"
#include "host/data/idx.hpp"
#include "tests/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <zlib.h>

namespace popscope::host {
namespace {

using namespace std::string_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kTwoByThree =
    "\0\0\x08\x02"s + "\0\0\0\x02\0\0\0\x03"s + "\x01\x02\x03\x04\x05\xff"s;

std::string gzip(const std::string &bytes) {
  std::string out(compressBound(bytes.size()) + 64, '\0');
  z_stream stream{};
  const int gzipWindow = 15 + 16;
  EXPECT_EQ(
      deflateInit2(&stream, 9, Z_DEFLATED, gzipWindow, 8, Z_DEFAULT_STRATEGY),
      Z_OK);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = uInt(bytes.size());
  stream.next_out = reinterpret_cast<Bytef *>(out.data());
  stream.avail_out = uInt(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string errorOf(const std::string &file, unsigned rank) {
  try {
    readIdx(file, rank);
  } catch (const BadInput &error) {
    return error.what();
  }
  return "no error";
}

TEST(Idx, ReadsPlainAndGzipAlike) {
  const tests::TempDir dir;
  for (const auto &file :
       {dir.file("plain", kTwoByThree), dir.file("x.gz", gzip(kTwoByThree))}) {
    const IdxArray array = readIdx(file, 2);
    EXPECT_THAT(array.dims, ElementsAre(2, 3));
    EXPECT_THAT(array.values, ElementsAre(1, 2, 3, 4, 5, 255));
  }
}

TEST(Idx, MissingFileIsNamed) {
  EXPECT_THAT(
      errorOf("/nonexistent/images.gz", 3),
      AllOf(HasSubstr("/nonexistent/images.gz"), HasSubstr("No such file")));
}

TEST(Idx, DirectoryIsRefused) {
  const tests::TempDir dir;
  EXPECT_THAT(
      errorOf(dir.path().string(), 3),
      AllOf(HasSubstr(dir.path().string()), HasSubstr("Is a directory")));
}

TEST(Idx, GzipCutAnywhereIsRefused) {
  const tests::TempDir dir;
  const std::string whole = gzip(kTwoByThree);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THAT(errorOf(dir.file("cut.gz", whole.substr(0, size)), 2),
                HasSubstr("cut.gz: "))
        << size;
}

TEST(Idx, DamagedGzipIsNamedOnce) {
  const tests::TempDir dir;
  const std::string whole = gzip(kTwoByThree);
  const auto file = dir.file("cut.gz", whole.substr(0, whole.size() - 9));
  EXPECT_EQ(errorOf(file, 2),
            std::string(file) + ": damaged gzip file: its end is missing");
  std::string damaged = whole;
  damaged[damaged.size() - 6] ^= 1; // in the checksum
  const auto other = dir.file("bad.gz", damaged);
  EXPECT_EQ(errorOf(other, 2),
            std::string(other) + ": damaged gzip file: incorrect data check");
}

TEST(Idx, GzipWithAFlippedBitIsRefused) {
  const tests::TempDir dir;
  std::string damaged = gzip(kTwoByThree);
  damaged[damaged.size() - 6] ^= 1; // in the checksum
  EXPECT_THAT(errorOf(dir.file("bad.gz", damaged), 2),
              HasSubstr("damaged gzip file"));
}

TEST(Idx, OtherRankOrTypeIsRefused) {
  const tests::TempDir dir;
  EXPECT_THAT(errorOf(dir.file("a", kTwoByThree), 3),
              HasSubstr("not an IDX file of unsigned bytes with 3 dimensions"));
  std::string floats = kTwoByThree;
  floats[2] = '\x0d';
  EXPECT_THAT(errorOf(dir.file("b", floats), 2), HasSubstr("not an IDX file"));
}

TEST(Idx, TooFewOrTooManyValuesAreCounted) {
  const tests::TempDir dir;
  EXPECT_THAT(errorOf(dir.file("a", kTwoByThree + "x"), 2),
              HasSubstr("promises 6 values, and the file holds more"));
  EXPECT_THAT(errorOf(dir.file("b", kTwoByThree.substr(0, 14)), 2),
              HasSubstr("promises 6 values, and the file holds 2"));
}

TEST(Idx, AbsurdSizesDoNotOverflow) {
  const tests::TempDir dir;
  const std::string huge = "\0\0\x08\x03"s + std::string(12, '\xff');
  EXPECT_THAT(errorOf(dir.file("huge", huge), 3),
              HasSubstr("promises more than 1073741824 values"));
}

TEST(GzipFile, IsUnpackedNoFurtherThanAsked) {
  const tests::TempDir dir;
  const std::string text(1 << 22, 'x');
  for (const std::string &file :
       {dir.file("plain", text), dir.file("x.gz", gzip(text))})
    EXPECT_EQ(readMaybeGzip(file, 1000).size(), 1000u) << file;
}

// The whole of it would take a thousand times the memory of the file.
TEST(Idx, ABombIsNotUnpacked) {
  const tests::TempDir dir;
  const std::string bomb = gzip(kTwoByThree + std::string(1 << 26, '\0'));
  EXPECT_THAT(errorOf(dir.file("bomb.gz", bomb), 2),
              HasSubstr("promises 6 values, and the file holds more"));
}

} // namespace
} // namespace popscope::host
