#include "poplar/codelet/gp_archive.hpp"

#include "poplar/base/content_hash.hpp"

#include <cstdint>
#include <stdexcept>

// The file is the magic, the version, five lists, and the hash of all bytes
// before it. A list is a count and, for each item, its size and bytes. Numbers
// are 8 bytes, least significant first.

namespace ipumodel {
namespace {

constexpr std::string_view kMagic = "ipumodel.gp\r\n\x1a";
constexpr std::uint64_t kVersion = 3;
constexpr std::size_t kNumberBytes = 8;

std::string encode(std::uint64_t number) {
  std::string bytes;
  for (std::size_t i = 0; i < kNumberBytes; ++i)
    bytes.push_back(static_cast<char>(number >> (8 * i) & 0xff));
  return bytes;
}

std::string encode(const std::vector<std::string> &list) {
  std::string bytes = encode(list.size());
  for (const auto &item : list)
    bytes += encode(item.size()) + item;
  return bytes;
}

class Reader {
public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::string_view bytes(std::uint64_t size) {
    if (size > rest_.size())
      throw std::runtime_error("the archive is cut short");
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::uint64_t number() {
    std::uint64_t number = 0;
    const auto taken = bytes(kNumberBytes);
    for (std::size_t i = 0; i < kNumberBytes; ++i)
      number |= std::uint64_t(static_cast<unsigned char>(taken[i])) << (8 * i);
    return number;
  }

  std::vector<std::string> list() {
    std::vector<std::string> list;
    for (auto left = number(); left != 0; --left)
      list.emplace_back(bytes(number()));
    return list;
  }

private:
  std::string_view rest_;
};

} // namespace

std::string serialise(const GpArchive &archive) {
  const std::string content =
      std::string(kMagic) + encode(kVersion) + encode(archive.targets) +
      encode(archive.sources) + encode(archive.objects) +
      encode(archive.avx2Objects) + encode(archive.avx512Objects);
  return content + encode(contentHash(content));
}

GpArchive parseGpArchive(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic)
    throw std::runtime_error("it is not an archive made by this popc");
  Reader reader(bytes);
  reader.bytes(kMagic.size());
  if (const auto version = reader.number(); version != kVersion)
    throw std::runtime_error("the archive has format " +
                             std::to_string(version) + ", this program reads " +
                             std::to_string(kVersion) +
                             "; compile the codelets again");
  if (bytes.size() < kMagic.size() + 2 * kNumberBytes)
    throw std::runtime_error("the archive is cut short");
  const auto content = bytes.substr(0, bytes.size() - kNumberBytes);
  if (Reader(bytes.substr(content.size())).number() != contentHash(content))
    throw std::runtime_error("the archive is damaged: its checksum differs");
  GpArchive archive;
  archive.targets = reader.list();
  archive.sources = reader.list();
  archive.objects = reader.list();
  archive.avx2Objects = reader.list();
  archive.avx512Objects = reader.list();
  return archive;
}

} // namespace ipumodel
