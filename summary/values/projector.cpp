#include "summary/values/projector.hpp"

#include "summary/encoding/utf8.hpp"
#include "summary/png/png.hpp"
#include "summary/proto/projector.pb.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <google/protobuf/text_format.h>
#include <set>
#include <stdexcept>
#include <system_error>

namespace popscope::summary {
namespace fs = std::filesystem;
namespace {

constexpr std::uint32_t kMaxSpriteSide = 8192; // of the page's texture

[[noreturn]] void reject(const Embedding &embedding, const char *why) {
  throw std::invalid_argument("[summary] embedding \"" + embedding.name +
                              "\" " + why);
}

std::size_t rowsOf(const Embedding &embedding) {
  return embedding.vectors.size() / embedding.dimensions;
}

void check(const Embedding &embedding) {
  const fs::path name(embedding.name);
  if (name.empty() || name != name.filename() || name == "." || name == "..")
    reject(embedding, "needs a name that can name files");
  if (embedding.dimensions == 0 || embedding.vectors.empty() ||
      embedding.vectors.size() % embedding.dimensions != 0)
    reject(embedding, "needs at least one whole vector");
  if (!embedding.labels.empty() && embedding.labels.size() != rowsOf(embedding))
    reject(embedding, "needs one row of labels per vector");
  for (const auto &row : embedding.labels)
    if (row.size() != std::max<std::size_t>(1, embedding.columns.size()))
      reject(embedding, "needs one label per column");
  if (!embedding.pictures.empty() &&
      embedding.pictures.size() != rowsOf(embedding))
    reject(embedding, "needs one picture per vector");
  for (const ImageView &picture : embedding.pictures)
    if (picture.width != embedding.pictures[0].width ||
        picture.height != embedding.pictures[0].height ||
        picture.format != embedding.pictures[0].format)
      reject(embedding, "needs pictures of one size and format");
}

void writeFile(const fs::path &path, const std::string &bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file)
    throw std::system_error(errno, std::generic_category(),
                            "[summary] cannot write \"" + path.string() + "\"");
}

std::string tensorLines(const Embedding &embedding) {
  std::string lines;
  char number[32];
  for (std::size_t i = 0; i < embedding.vectors.size(); ++i) {
    const float value = embedding.vectors[i];
    std::snprintf(number, sizeof number, "%.9g",
                  std::isfinite(value) ? double(value) : 0.0);
    lines += number;
    lines += (i + 1) % embedding.dimensions == 0 ? '\n' : '\t';
  }
  return lines;
}

std::string cell(const std::string &label) {
  std::string text = toUtf8(label);
  for (char &c : text)
    if (c == '\t' || c == '\n' || c == '\r')
      c = ' ';
  return text;
}

std::string labelLine(const std::vector<std::string> &labels) {
  std::string line = cell(labels[0]);
  for (std::size_t i = 1; i < labels.size(); ++i)
    line += '\t' + cell(labels[i]);
  // The page skips blank lines, which would shift all labels after it.
  if (line.find_first_not_of(" \t\v\f") == std::string::npos)
    line.insert(0, 1, '-');
  return line + '\n';
}

// The page takes the first line for a header if and only if there are several
// columns.
std::string labelLines(const Embedding &embedding) {
  std::string lines;
  if (embedding.columns.size() > 1)
    lines += labelLine(embedding.columns);
  for (const auto &row : embedding.labels)
    lines += labelLine(row);
  return lines;
}

// All pictures in one, row by row in a grid as square as possible.
Image sprite(const Embedding &embedding) {
  const auto &pictures = embedding.pictures;
  const auto perRow =
      static_cast<std::uint32_t>(std::ceil(std::sqrt(double(pictures.size()))));
  const ImageView &first = pictures[0];
  const auto gridRows =
      static_cast<std::uint32_t>((pictures.size() + perRow - 1) / perRow);
  Image image{first.width * perRow, first.height * gridRows, first.format, {}};
  if (image.width > kMaxSpriteSide || image.height > kMaxSpriteSide)
    reject(embedding, "has more pictures than 8192 x 8192 pixels can hold");
  const std::size_t channels = channelsOf(first.format);
  const std::size_t cellBytes = first.width * channels;
  const std::size_t rowBytes = image.width * channels;
  image.pixels.resize(rowBytes * image.height);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    std::uint8_t *const corner = image.pixels.data() +
                                 i / perRow * first.height * rowBytes +
                                 i % perRow * cellBytes;
    for (std::uint32_t y = 0; y < first.height; ++y)
      std::memcpy(corner + y * rowBytes, pictures[i].pixels + y * cellBytes,
                  cellBytes);
  }
  return image;
}

} // namespace

void writeProjector(const fs::path &runDirectory,
                    const std::vector<Embedding> &embeddings) {
  std::set<std::string> names;
  for (const Embedding &embedding : embeddings) {
    check(embedding);
    if (!names.insert(embedding.name).second)
      reject(embedding, "is given twice");
  }
  fs::create_directories(runDirectory);
  proto::ProjectorConfig config;
  for (const Embedding &embedding : embeddings) {
    auto *info = config.add_embeddings();
    info->set_tensor_name(embedding.name);
    info->add_tensor_shape(static_cast<std::uint32_t>(rowsOf(embedding)));
    info->add_tensor_shape(static_cast<std::uint32_t>(embedding.dimensions));
    info->set_tensor_path(embedding.name + "_tensors.tsv");
    writeFile(runDirectory / info->tensor_path(), tensorLines(embedding));
    if (!embedding.labels.empty()) {
      info->set_metadata_path(embedding.name + "_metadata.tsv");
      writeFile(runDirectory / info->metadata_path(), labelLines(embedding));
    }
    if (!embedding.pictures.empty()) {
      auto *picture = info->mutable_sprite();
      picture->set_image_path(embedding.name + "_sprite.png");
      picture->add_single_image_dim(embedding.pictures[0].width);
      picture->add_single_image_dim(embedding.pictures[0].height);
      writeFile(runDirectory / picture->image_path(),
                encodePng(sprite(embedding).view()));
    }
  }
  std::string text;
  google::protobuf::TextFormat::PrintToString(config, &text);
  writeFile(runDirectory / "projector_config.pbtxt", text);
}

} // namespace popscope::summary
