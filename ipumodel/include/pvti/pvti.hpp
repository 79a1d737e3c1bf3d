// Trace points of host code: when a program did what, and graphs of numbers.
//
// Nothing is recorded unless the environment variable PVTI_OPTIONS is a JSON
// object with "enable": "true". Then the trace is written to the file
// <program>-<process id>.pvti.json in "directory", or else the current
// directory, in the Trace Event format of Perfetto and chrome://tracing.
//
// All of this is thread-safe.
#pragma once

#include <cstddef>
#include <string>

namespace pvti {

// A group of trace points. It must outlive its trace points.
class TraceChannel {
public:
  TraceChannel(const char *name) : name_(name) {}
  TraceChannel(const std::string &name) : name_(name) {}
  const std::string &name() const { return name_; }

private:
  std::string name_;
};

// Details of a trace point besides its name.
class Metadata {
public:
  explicit Metadata(std::string json) : json_(std::move(json)) {}
  const std::string &json() const { return json_; }

private:
  std::string json_;
};

// `json` is one JSON value. Throws poplar::parse_error if it is not.
Metadata createJsonMetadata(const std::string &json);

// An activity that lasts as long as the object lives, or from begin() to end()
// with the same name in the same thread.
class Tracepoint {
public:
  Tracepoint(TraceChannel *channel, const std::string &name,
             const Metadata *metadata = nullptr);
  Tracepoint(TraceChannel *channel, const char *name,
             const Metadata *metadata = nullptr);
  Tracepoint(TraceChannel *channel, const char *name, std::size_t length,
             const Metadata *metadata = nullptr);
  Tracepoint(const Tracepoint &) = delete;
  Tracepoint &operator=(const Tracepoint &) = delete;
  ~Tracepoint();

  static void begin(TraceChannel *channel, const std::string &name,
                    const Metadata *metadata = nullptr);
  static void end(TraceChannel *channel, const std::string &name);
  // An event without duration.
  static void event(TraceChannel *channel, const std::string &name,
                    const Metadata *metadata = nullptr);

private:
  TraceChannel *channel_; // null if nothing is recorded
  std::string name_;
};

// A line in a graph.
class Series {
public:
  Series(std::string graph, std::string name)
      : graph_(std::move(graph)), name_(std::move(name)) {}
  void add(double value); // at the current time

private:
  std::string graph_;
  std::string name_;
};

class Graph {
public:
  Graph(const std::string &name, const std::string &units);
  Series addSeries(const std::string &name);

private:
  std::string title_;
};

// True if PVTI_OPTIONS asks for a trace.
bool checkTracingEnabled();

} // namespace pvti
