#include "summary/png/png.hpp"

#include "summary/png/deflate.hpp"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace popscope::summary {
namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
constexpr char kBitDepth = 8;

enum class Filter : char { none = 0, sub = 1, up = 2 };

char colourType(PixelFormat format) {
  switch (format) {
  case PixelFormat::grey:
    return 0;
  case PixelFormat::greyAlpha:
    return 4;
  case PixelFormat::rgb:
    return 2;
  case PixelFormat::rgba:
    return 6;
  }
  throw std::invalid_argument("[summary] unknown pixel format");
}

void appendBigEndian(std::string &to, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    to += static_cast<char>(value >> shift & 0xff);
}

// Writes the parts of a chunk around its data, which `appendData` adds.
template <class AppendData>
void appendChunk(std::string &png, std::string_view type,
                 AppendData appendData) {
  const std::size_t lengthAt = png.size();
  appendBigEndian(png, 0);
  const std::size_t typeAt = png.size();
  png += type;
  appendData(png);
  const std::size_t dataBytes = png.size() - typeAt - type.size();
  if (dataBytes > std::numeric_limits<std::int32_t>::max())
    throw std::invalid_argument("[summary] an image is too large for PNG");
  std::string length;
  appendBigEndian(length, static_cast<std::uint32_t>(dataBytes));
  png.replace(lengthAt, length.size(), length);
  appendBigEndian(png, crc32(std::string_view(png).substr(typeAt)));
}

// Writes one filtered row and returns the sum of its residuals' magnitudes,
// the usual estimate of how well the row will compress.
std::uint64_t filterRow(Filter filter, const std::uint8_t *row,
                        const std::uint8_t *above, std::size_t bytes,
                        std::size_t bytesPerPixel, char *out) {
  *out++ = static_cast<char>(filter);
  std::uint64_t magnitude = 0;
  const auto put = [&](std::size_t i, unsigned predicted) {
    const auto residual = static_cast<std::int8_t>(row[i] - predicted);
    out[i] = static_cast<char>(residual);
    magnitude += static_cast<unsigned>(std::abs(residual));
  };
  switch (filter) {
  case Filter::none:
    for (std::size_t i = 0; i < bytes; ++i)
      put(i, 0);
    break;
  case Filter::sub:
    for (std::size_t i = 0; i < bytesPerPixel; ++i)
      put(i, 0);
    for (std::size_t i = bytesPerPixel; i < bytes; ++i)
      put(i, row[i - bytesPerPixel]);
    break;
  case Filter::up:
    for (std::size_t i = 0; i < bytes; ++i)
      put(i, above[i]);
    break;
  }
  return magnitude;
}

// In pictures smaller than this, filters save less than they cost.
constexpr std::size_t kFilteredFrom = 4096; // bytes

// All rows, each with its filter byte in front. Flat pictures such as digits,
// plots and heat maps compress best unfiltered; a filter is used for a row
// only where it shrinks the residuals a lot, as in photographs.
std::string filteredRows(const ImageView &image) {
  const std::size_t bytesPerPixel = channelsOf(image.format);
  const std::size_t bytes = image.width * bytesPerPixel;
  const bool isSmall = bytes * image.height < kFilteredFrom;
  std::string rows(image.height * (bytes + 1), '\0');
  std::string candidate(bytes + 1, '\0');
  for (std::uint32_t y = 0; y < image.height; ++y) {
    const std::uint8_t *const row = image.pixels + y * bytes;
    const std::uint8_t *const above = y == 0 ? nullptr : row - bytes;
    char *const out = rows.data() + y * (bytes + 1);
    if (isSmall) {
      std::memcpy(out + 1, row, bytes); // the filter byte is there already
      continue;
    }
    std::uint64_t best =
        filterRow(Filter::none, row, above, bytes, bytesPerPixel, out) / 2;
    for (const Filter filter : {Filter::sub, Filter::up}) {
      if (filter == Filter::up && above == nullptr)
        continue;
      const std::uint64_t magnitude =
          filterRow(filter, row, above, bytes, bytesPerPixel, candidate.data());
      if (magnitude < best) {
        best = magnitude;
        candidate.copy(out, candidate.size());
      }
    }
  }
  return rows;
}

} // namespace

std::string encodePng(const ImageView &image) {
  constexpr std::uint32_t kMaxSide = std::numeric_limits<std::int32_t>::max();
  if (image.width == 0 || image.height == 0 || image.width > kMaxSide ||
      image.height > kMaxSide)
    throw std::invalid_argument("[summary] an image has a width and a height");
  std::string png(kSignature);
  appendChunk(png, "IHDR", [&](std::string &to) {
    appendBigEndian(to, image.width);
    appendBigEndian(to, image.height);
    to += kBitDepth;
    to += colourType(image.format);
    to.append(3, '\0'); // deflate, the five standard filters, not interlaced
  });
  appendChunk(png, "IDAT", [&](std::string &to) {
    appendZlibStream(to, filteredRows(image));
  });
  appendChunk(png, "IEND", [](std::string &) {});
  return png;
}

} // namespace popscope::summary
