#include "host/command.hpp"
#include "host/events/writing/exported_series.hpp"
#include "summary/reading/decoded_value.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"

#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

namespace popscope::host::events {

namespace {

const char *pictureExtension(std::string_view bytes) {
  if (bytes.substr(0, 4) == "\x89PNG")
    return ".png";
  if (bytes.substr(0, 2) == "\xff\xd8")
    return ".jpg";
  if (bytes.substr(0, 3) == "GIF")
    return ".gif";
  if (bytes.substr(0, 2) == "BM")
    return ".bmp";
  return ".bin";
}

const char *soundExtension(std::string_view bytes) {
  if (bytes.substr(0, 4) == "RIFF" && bytes.substr(8, 4) == "WAVE")
    return ".wav";
  if (bytes.substr(0, 4) == "fLaC")
    return ".flac";
  if (bytes.substr(0, 4) == "OggS")
    return ".ogg";
  if (bytes.substr(0, 3) == "ID3")
    return ".mp3";
  return ".bin";
}

struct MediaFile {
  std::string bytes;
  const char *extension;
};

// The pictures or sounds of a value; nothing if it has none.
std::optional<std::vector<MediaFile>> filesOf(const summary::ValueView &value,
                                              const std::string &kind) {
  std::vector<MediaFile> files;
  if (kind == "audio") {
    const auto sounds = summary::decodeAudio(value);
    if (!sounds)
      return std::nullopt;
    for (const std::string &sound : *sounds)
      files.push_back({sound, soundExtension(sound)});
    return files;
  }
  const auto images = summary::decodeImages(value);
  if (!images)
    return std::nullopt;
  for (const summary::EncodedImage &image : *images)
    files.push_back({image.bytes, pictureExtension(image.bytes)});
  return files;
}

// Makes a valid file name for each value, no name twice.
class MediaNames {
public:
  std::string next(const std::string &run, const std::string &tag,
                   const std::string &which, const char *extension) {
    // Most file systems take 255 bytes, some count the characters of UTF-16.
    constexpr std::size_t kLongest = 200;
    std::string stem = (run == "." ? "" : run + "-") + tag;
    for (char &c : stem)
      if (c == '/' || static_cast<unsigned char>(c) < 0x20)
        c = '_';
    if (stem.size() > kLongest) {
      std::size_t end = kLongest; // where a character of UTF-8 begins
      while (end > 0 && (stem[end] & 0xc0) == 0x80)
        --end;
      stem.resize(end);
    }
    stem += which;
    std::string name = stem + extension;
    for (unsigned n = 2; !given_.insert(name).second; ++n)
      name = stem + "-" + std::to_string(n) + extension;
    return name;
  }

private:
  std::set<std::string> given_;
};

} // namespace

int exportMedia(const ExportOptions &options) {
  if (options.isToStdout())
    throw BadInput("--kind " + options.kind + " needs a directory: -o DIR");
  ExportedSeries series(options);
  const std::filesystem::path &directory = options.output.path;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    throw BadInput(directory.string() + ": " + error.message());
  const Inputs inputs = series.inputs();
  std::size_t written = 0;
  MediaNames names;
  series.walk([&](const ExportedSeries::Point &point) {
    const auto files = filesOf(point.value, options.kind);
    if (!files)
      return false;
    for (std::size_t i = 0; i < files->size(); ++i) {
      const MediaFile &media = (*files)[i];
      const std::string which =
          "-step" + std::to_string(point.event.step) +
          (files->size() > 1 ? "-" + std::to_string(i) : "");
      OutputFile file(
          directory / names.next(point.run, point.tag, which, media.extension),
          options.output.ifExists, inputs);
      std::ofstream out = file.open();
      out << media.bytes;
      file.commit(out);
      ++written;
    }
    return true;
  });
  const std::string noun = options.kind == "audio" ? "sound" : "picture";
  if (options.format == ExportFormat::json)
    std::cout << "{\"path\": " << text::jsonString(directory.string()) << ", \""
              << noun << "s\": " << written << "}\n";
  else
    std::cout << directory.string() << ": " << text::counted(written, noun)
              << '\n';
  return series.exitCode();
}

} // namespace popscope::host::events
