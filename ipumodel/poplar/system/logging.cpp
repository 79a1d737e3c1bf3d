#include "poplar/system/logging.hpp"

#include <poplar/exceptions.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>

namespace ipumodel {
namespace {

constexpr std::string_view kNames[] = {"TRACE", "DEBUG", "INFO",
                                       "WARN",  "ERR",   "OFF"};

LogLevel levelNamed(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == name)
      return LogLevel(i);
  throw poplar::invalid_option("POPLAR_LOG_LEVEL cannot be '" +
                               std::string(name) +
                               "'; use TRACE, DEBUG, INFO, WARN, ERR or OFF");
}

std::string variable(const char *name, const char *unset) {
  const char *value = std::getenv(name);
  return value && *value ? value : unset;
}

std::string timeOfDay() {
  using namespace std::chrono;
  const auto now = system_clock::now();
  const std::time_t seconds = system_clock::to_time_t(now);
  const auto micros =
      duration_cast<microseconds>(now.time_since_epoch()).count() % 1000000;
  std::tm local{};
  localtime_r(&seconds, &local);
  char text[32];
  std::snprintf(text, sizeof text, "%02d:%02d:%02d.%06d", local.tm_hour,
                local.tm_min, local.tm_sec, int(micros));
  return text;
}

} // namespace

Logger &Logger::ofProcess() {
  static Logger logger(levelNamed(variable("POPLAR_LOG_LEVEL", "OFF")),
                       variable("POPLAR_LOG_DEST", "stderr"));
  return logger;
}

Logger::Logger(LogLevel level, const std::string &destination)
    : level_(level), out_(&std::cerr) {
  if (level_ == LogLevel::off)
    return;
  if (destination == "stdout") {
    out_ = &std::cout;
  } else if (destination != "stderr") {
    file_.open(destination);
    if (!file_)
      throw poplar::invalid_option("POPLAR_LOG_DEST: cannot write to '" +
                                   destination + "'");
    out_ = &file_;
  }
}

void Logger::write(LogLevel level, std::string_view message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  *out_ << timeOfDay() << " PO [" << kNames[std::size_t(level)] << "] "
        << message << std::endl;
}

} // namespace ipumodel
