#include "poplar/values/debug_stream.hpp"

#include <poplar/exceptions.hpp>

#include <string_view>

namespace ipumodel {
namespace {

using poplar::DebugSerializationFormat;

// RFC 8949: the tag of a CBOR file, a map of one member, its key as a text of
// eight characters, an array of indefinite length.
constexpr std::string_view kCborBegin = "\xd9\xd9\xf7"
                                        "\xa1"
                                        "\x68"
                                        "contexts"
                                        "\x9f";
constexpr std::string_view kCborEnd = "\xff";

} // namespace

DebugStream &DebugStream::ofProcess() {
  static DebugStream stream;
  return stream;
}

void DebugStream::open(const std::string &path,
                       DebugSerializationFormat format) {
  close();
  const std::lock_guard<std::mutex> lock(mutex_);
  file_.open(path, std::ios::binary | std::ios::trunc);
  if (!file_)
    throw poplar::file_load_error(path);
  format_ = format;
  first_ = true;
  if (format == DebugSerializationFormat::CBOR)
    file_ << kCborBegin;
  else
    file_ << "{\"contexts\":[\n";
  open_ = true;
}

void DebugStream::close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!open_)
    return;
  open_ = false;
  if (format_ == DebugSerializationFormat::CBOR)
    file_ << kCborEnd;
  else
    file_ << "\n]}\n";
  file_.close();
}

void DebugStream::write(const poplar::ProfileValue &context) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!open_) // closed since the caller checked
    return;
  if (format_ == DebugSerializationFormat::CBOR) {
    serializeToCBOR(file_, context, false);
    return;
  }
  if (!first_)
    file_ << ",\n";
  first_ = false;
  serializeToJSON(file_, context);
}

} // namespace ipumodel
