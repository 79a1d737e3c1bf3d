#include "poplar/base/json.hpp"
#include "pvti/trace_file.hpp"

#include <pvti/pvti.hpp>

#include <sstream>

namespace pvti {

using ipumodel::TraceFile;

namespace {

// An event's arguments must be a JSON object.
std::string argumentsOf(const Metadata *metadata) {
  return metadata ? "{\"metadata\":" + metadata->json() + "}" : std::string();
}

} // namespace

Metadata createJsonMetadata(const std::string &json) {
  ipumodel::parseJson(json);
  return Metadata(json);
}

Tracepoint::Tracepoint(TraceChannel *channel, const std::string &name,
                       const Metadata *metadata)
    : Tracepoint(channel, name.data(), name.size(), metadata) {}

Tracepoint::Tracepoint(TraceChannel *channel, const char *name,
                       const Metadata *metadata)
    : Tracepoint(channel, name, std::char_traits<char>::length(name),
                 metadata) {}

Tracepoint::Tracepoint(TraceChannel *channel, const char *name,
                       std::size_t length, const Metadata *metadata)
    : channel_(TraceFile::ofProcess() ? channel : nullptr) {
  if (!channel_)
    return;
  name_.assign(name, length);
  begin(channel_, name_, metadata);
}

Tracepoint::~Tracepoint() {
  if (channel_)
    end(channel_, name_);
}

void Tracepoint::begin(TraceChannel *channel, const std::string &name,
                       const Metadata *metadata) {
  if (TraceFile *file = TraceFile::ofProcess())
    file->write(TraceFile::Phase::begin, channel->name(), name,
                argumentsOf(metadata));
}

void Tracepoint::end(TraceChannel *channel, const std::string &name) {
  if (TraceFile *file = TraceFile::ofProcess())
    file->write(TraceFile::Phase::end, channel->name(), name, "");
}

void Tracepoint::event(TraceChannel *channel, const std::string &name,
                       const Metadata *metadata) {
  if (TraceFile *file = TraceFile::ofProcess())
    file->write(TraceFile::Phase::instant, channel->name(), name,
                argumentsOf(metadata));
}

Graph::Graph(const std::string &name, const std::string &units)
    : title_(units.empty() ? name : name + " (" + units + ")") {}

Series Graph::addSeries(const std::string &name) {
  return Series(title_, name);
}

void Series::add(double value) {
  TraceFile *file = TraceFile::ofProcess();
  if (!file)
    return;
  std::ostringstream arguments;
  arguments << '{';
  ipumodel::writeJsonString(arguments, name_);
  arguments << ':';
  ipumodel::writeJsonNumber(arguments, value);
  arguments << '}';
  file->write(TraceFile::Phase::counter, "graph", graph_, arguments.str());
}

bool checkTracingEnabled() { return TraceFile::ofProcess() != nullptr; }

} // namespace pvti
