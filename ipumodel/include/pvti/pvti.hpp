// Trace points of host code: what a program did when, and graphs of numbers.
//
// Nothing is recorded unless the environment variable PVTI_OPTIONS is a JSON
// object with "enable": "true". Then a file <program>-<process id>.pvti.json is
// written in the Trace Event format that Perfetto and chrome://tracing open, to
// "directory" or else the current one.
//
// Any thread may use any of this.
#pragma once

#include <cstddef>
#include <string>

namespace pvti {

// A group of trace points. Outlives the trace points in it.
class TraceChannel {
public:
  TraceChannel(const char *name) : name_(name) {}
  TraceChannel(const std::string &name) : name_(name) {}
  const std::string &name() const { return name_; }

private:
  std::string name_;
};

// What is known about a trace point besides its name.
class Metadata {
public:
  explicit Metadata(std::string json) : json_(std::move(json)) {}
  const std::string &json() const { return json_; }

private:
  std::string json_;
};

// `json` is one JSON value. Throws poplar::parse_error if it is not.
Metadata createJsonMetadata(const std::string &json);

// Something that takes as long as the object lives, or as it takes from begin()
// to end() with the same name in the same thread.
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
  // Something that takes no time.
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
