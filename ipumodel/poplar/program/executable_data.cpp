#include "poplar/program/executable_data.hpp"

#include "poplar/base/content_hash.hpp"
#include "poplar/program/executable_format.hpp"

#include <algorithm>
#include <cstring>

namespace ipumodel {

namespace {

// A file is a Header, `length` bytes and the checksum of all bytes before it.
constexpr char kMagic[8] = {'i', 'p', 'u', 'm', 'o', 'd', 'e', 'l'};
constexpr std::uint32_t kVersion =
    4; // increased with every change of the format

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t abiVersion; // of the codelets
  std::uint64_t length;
};
static_assert(sizeof(Header) == 24, "stored as it is, without padding");

void readBytes(std::istream &in, void *bytes, std::size_t size) {
  in.read(static_cast<char *>(bytes), static_cast<std::streamsize>(size));
  ExecutableReader::require(in.gcount() == static_cast<std::streamsize>(size),
                            "it ends early");
}

// Reads in parts: a wrong length reaches the end of the file before it
// allocates more memory than there are bytes.
void appendBytes(std::istream &in, std::uint64_t length, std::string &bytes) {
  constexpr std::uint64_t kPart = 1 << 20;
  while (length != 0) {
    const std::size_t done = bytes.size();
    const std::uint64_t part = std::min(length, kPart);
    bytes.resize(done + part);
    readBytes(in, &bytes[done], part);
    length -= part;
  }
}

} // namespace

void writeExecutable(std::ostream &out, const ExecutableData &executable) {
  ExecutableWriter writer;
  writer(executable);
  Header header{{}, kVersion, abi::kVersion, writer.bytes().size()};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  std::string file(reinterpret_cast<const char *>(&header), sizeof header);
  file += writer.bytes();
  const std::uint64_t checksum = contentHash(file);
  file.append(reinterpret_cast<const char *>(&checksum), sizeof checksum);
  if (!out.write(file.data(), static_cast<std::streamsize>(file.size())))
    throw poplar::poplar_error("the executable could not be written");
}

std::shared_ptr<const ExecutableData> readExecutable(std::istream &in) {
  std::string file;
  appendBytes(in, sizeof(Header), file);
  Header header;
  std::memcpy(&header, file.data(), sizeof header);
  ExecutableReader::require(std::memcmp(header.magic, kMagic, sizeof kMagic) ==
                                0,
                            "it does not begin like an executable");
  ExecutableReader::require(header.version == kVersion &&
                                header.abiVersion == abi::kVersion,
                            "it was written by another version");
  appendBytes(in, header.length, file);
  std::uint64_t checksum;
  readBytes(in, &checksum, sizeof checksum);
  ExecutableReader::require(checksum == contentHash(file),
                            "its checksum is wrong");

  auto executable = std::make_shared<ExecutableData>();
  ExecutableReader reader(file.data() + sizeof header,
                          file.data() + file.size(), executable->graph);
  reader(*executable);
  ExecutableReader::require(reader.atEnd(), "it is longer than it should be");
  executable->deserialized = true;
  return executable;
}

} // namespace ipumodel
