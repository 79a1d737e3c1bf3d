#include "pvti/trace_file.hpp"

#include "poplar/base/json.hpp"

#include <poplar/OptionFlags.hpp>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <sys/syscall.h>
#include <unistd.h>

namespace ipumodel {

namespace {

std::string programName() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "program" : program.filename().string();
}

std::unique_ptr<TraceFile> openTrace() {
  poplar::OptionFlags options;
  poplar::readJSONFromEnv("PVTI_OPTIONS", options);
  bool enabled = false;
  std::filesystem::path directory = ".";
  for (const auto &[key, value] : options) {
    if (key == "enable")
      enabled = value == "true";
    else if (key == "directory")
      directory = value;
    else
      throw std::runtime_error("PVTI_OPTIONS: there is no option '" + key +
                               "'; use enable and directory");
  }
  if (!enabled)
    return nullptr;
  std::filesystem::create_directories(directory);
  return std::make_unique<TraceFile>(
      directory /
      (programName() + "-" + std::to_string(getpid()) + ".pvti.json"));
}

} // namespace

TraceFile *TraceFile::ofProcess() {
  static const std::unique_ptr<TraceFile> file = openTrace();
  return file.get();
}

TraceFile::TraceFile(const std::string &path)
    : start_(std::chrono::steady_clock::now()), file_(path, std::ios::trunc) {
  if (!file_)
    throw std::runtime_error("cannot write the trace '" + path + "'");
  file_ << "[\n";
}

TraceFile::~TraceFile() { file_ << "\n]\n"; }

void TraceFile::write(Phase phase, const std::string &category,
                      const std::string &name, const std::string &arguments) {
  const std::chrono::duration<double, std::micro> now =
      std::chrono::steady_clock::now() - start_;
  const long thread = syscall(SYS_gettid);
  const std::lock_guard<std::mutex> lock(mutex_);
  file_ << (first_ ? "" : ",\n") << "{\"ph\":\"" << static_cast<char>(phase)
        << "\",\"cat\":";
  writeJsonString(file_, category);
  file_ << ",\"name\":";
  writeJsonString(file_, name);
  file_ << ",\"ts\":";
  writeJsonNumber(file_, now.count());
  file_ << ",\"pid\":" << getpid() << ",\"tid\":" << thread;
  if (phase == Phase::instant)
    file_ << ",\"s\":\"t\"";
  if (!arguments.empty())
    file_ << ",\"args\":" << arguments;
  file_ << '}';
  first_ = false;
}

} // namespace ipumodel
