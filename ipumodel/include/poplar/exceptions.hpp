// The exceptions the library throws on purpose.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <stdexcept>
#include <string>

namespace poplar {

class DebugContext;

struct poplar_error : std::runtime_error {
  explicit poplar_error(const std::string &message);
  explicit poplar_error(const char *message);

  // Puts "<file>:<line> " in front of the message: the place in the user's
  // program that made the offending object. Later calls have no effect.
  void attachSourceLocation(const DebugContext &debugContext);
  const char *what() const noexcept override;

  std::string type; // name of the thrown class, without namespace

private:
  std::string located_; // the message with its place; empty if unknown
};

// An error class without further members.
#define POPLAR_DECLARE_ERROR(NAME, BASE)                                       \
  struct NAME : BASE {                                                         \
    explicit NAME(const std::string &message);                                 \
    explicit NAME(const char *message);                                        \
  };

// Building a graph.
POPLAR_DECLARE_ERROR(graph_program_compilation_error, poplar_error)
POPLAR_DECLARE_ERROR(graph_object_creation_error, poplar_error)
POPLAR_DECLARE_ERROR(no_environment, poplar_error)
POPLAR_DECLARE_ERROR(control_program_error, poplar_error)
POPLAR_DECLARE_ERROR(type_error, poplar_error)
POPLAR_DECLARE_ERROR(no_size_specified, poplar_error)
POPLAR_DECLARE_ERROR(graph_connection_error, poplar_error)
POPLAR_DECLARE_ERROR(graph_cycle_error, poplar_error)
POPLAR_DECLARE_ERROR(graph_recursion_error, poplar_error)
POPLAR_DECLARE_ERROR(graph_replication_error, poplar_error)
POPLAR_DECLARE_ERROR(invalid_tile_mapping, poplar_error)
POPLAR_DECLARE_ERROR(tensor_creation_error, poplar_error)
POPLAR_DECLARE_ERROR(tensor_io_state_error, poplar_error)
POPLAR_DECLARE_ERROR(tensor_metadata_error, poplar_error)
POPLAR_DECLARE_ERROR(overflow_error, poplar_error)
POPLAR_DECLARE_ERROR(memory_elem_constraints_error, poplar_error)

struct graph_object_load_error : poplar_error {
  graph_object_load_error(const std::string &path, const std::string &error);
};

struct unknown_vertex_type : poplar_error {
  explicit unknown_vertex_type(const std::string &name);
};

struct unknown_field : poplar_error {
  explicit unknown_field(const std::string &field);
  unknown_field(const std::string &field, const std::string &vertex);
};

struct index_error : poplar_error {
  explicit index_error(const std::string &message);
  index_error(const std::string &vertexDotField, std::size_t index);
};

struct link_error : poplar_error {
  explicit link_error(const std::string &message,
                      const std::string &output = "");
  explicit link_error(const char *message, const char *output = "");

  std::string output; // the linker's messages
};

struct symbol_error : poplar_error {
  symbol_error(const std::string &name, unsigned tile);
};

struct file_load_error : poplar_error {
  explicit file_load_error(const std::string &path);
};

// Devices and options.
POPLAR_DECLARE_ERROR(invalid_machine_model, poplar_error)
POPLAR_DECLARE_ERROR(invalid_option, poplar_error)
POPLAR_DECLARE_ERROR(parse_error, poplar_error)

// Memory and host data.
POPLAR_DECLARE_ERROR(stream_connection_error, poplar_error)
POPLAR_DECLARE_ERROR(stream_memory_allocation_error, poplar_error)

struct graph_memory_allocation_error : poplar_error {
  explicit graph_memory_allocation_error(const std::string &message);
  explicit graph_memory_allocation_error(const char *message);

  std::string profilePath; // where the profile was saved, if anywhere
};

// Profiling.
POPLAR_DECLARE_ERROR(missing_profile_data, poplar_error)
POPLAR_DECLARE_ERROR(missing_graph_profile, poplar_error)
POPLAR_DECLARE_ERROR(missing_perf_estimate, poplar_error)

struct profiling_disabled : poplar_error {
  profiling_disabled();
  explicit profiling_disabled(const std::string &message);
};

// Thrown by a running program, for a fault of the program
// (application_runtime_error) or of the system.
POPLAR_DECLARE_ERROR(runtime_error, poplar_error)
POPLAR_DECLARE_ERROR(application_runtime_error, runtime_error)
POPLAR_DECLARE_ERROR(system_runtime_error, runtime_error)
POPLAR_DECLARE_ERROR(unrecoverable_runtime_error, system_runtime_error)
POPLAR_DECLARE_ERROR(unknown_runtime_error, system_runtime_error)

#undef POPLAR_DECLARE_ERROR

// The action that is needed before a program can run again.
enum class RecoveryAction {
  IPU_RESET,
  LINK_RESET,
  PARTITION_RESET,
  FULL_RESET
};

std::string toString(RecoveryAction action);
std::ostream &operator<<(std::ostream &os, RecoveryAction action);

struct recoverable_runtime_error : system_runtime_error {
  recoverable_runtime_error(RecoveryAction action, const std::string &message);
  RecoveryAction getRecoveryAction() const { return action_; }

private:
  RecoveryAction action_;
};

} // namespace poplar
