#include "poplar/values/debug_access.hpp"

#include <poplar/exceptions.hpp>

namespace poplar {

poplar_error::poplar_error(const std::string &message)
    : std::runtime_error(message), type("poplar_error") {}

poplar_error::poplar_error(const char *message)
    : std::runtime_error(message), type("poplar_error") {}

void poplar_error::attachSourceLocation(const DebugContext &debugContext) {
  const SourceLocation &location = ipumodel::locationOf(debugContext);
  if (located_.empty() && location.isValid())
    located_ = std::string(location.getFileName()) + ":" +
               std::to_string(location.getLineNumber()) + " " +
               std::runtime_error::what();
}

const char *poplar_error::what() const noexcept {
  return located_.empty() ? std::runtime_error::what() : located_.c_str();
}

#define POPLAR_DEFINE_ERROR(NAME, BASE)                                        \
  NAME::NAME(const std::string &message) : BASE(message) { type = #NAME; }     \
  NAME::NAME(const char *message) : BASE(message) { type = #NAME; }

POPLAR_DEFINE_ERROR(graph_program_compilation_error, poplar_error)
POPLAR_DEFINE_ERROR(graph_object_creation_error, poplar_error)
POPLAR_DEFINE_ERROR(no_environment, poplar_error)
POPLAR_DEFINE_ERROR(control_program_error, poplar_error)
POPLAR_DEFINE_ERROR(type_error, poplar_error)
POPLAR_DEFINE_ERROR(no_size_specified, poplar_error)
POPLAR_DEFINE_ERROR(graph_connection_error, poplar_error)
POPLAR_DEFINE_ERROR(graph_cycle_error, poplar_error)
POPLAR_DEFINE_ERROR(graph_recursion_error, poplar_error)
POPLAR_DEFINE_ERROR(graph_replication_error, poplar_error)
POPLAR_DEFINE_ERROR(invalid_tile_mapping, poplar_error)
POPLAR_DEFINE_ERROR(tensor_creation_error, poplar_error)
POPLAR_DEFINE_ERROR(tensor_io_state_error, poplar_error)
POPLAR_DEFINE_ERROR(tensor_metadata_error, poplar_error)
POPLAR_DEFINE_ERROR(overflow_error, poplar_error)
POPLAR_DEFINE_ERROR(memory_elem_constraints_error, poplar_error)
POPLAR_DEFINE_ERROR(invalid_machine_model, poplar_error)
POPLAR_DEFINE_ERROR(invalid_option, poplar_error)
POPLAR_DEFINE_ERROR(parse_error, poplar_error)
POPLAR_DEFINE_ERROR(stream_connection_error, poplar_error)
POPLAR_DEFINE_ERROR(stream_memory_allocation_error, poplar_error)
POPLAR_DEFINE_ERROR(graph_memory_allocation_error, poplar_error)
POPLAR_DEFINE_ERROR(missing_profile_data, poplar_error)
POPLAR_DEFINE_ERROR(missing_graph_profile, poplar_error)
POPLAR_DEFINE_ERROR(missing_perf_estimate, poplar_error)
POPLAR_DEFINE_ERROR(runtime_error, poplar_error)
POPLAR_DEFINE_ERROR(application_runtime_error, runtime_error)
POPLAR_DEFINE_ERROR(system_runtime_error, runtime_error)
POPLAR_DEFINE_ERROR(unrecoverable_runtime_error, system_runtime_error)
POPLAR_DEFINE_ERROR(unknown_runtime_error, system_runtime_error)

graph_object_load_error::graph_object_load_error(const std::string &path,
                                                 const std::string &error)
    : poplar_error("cannot load codelets from '" + path + "': " + error) {
  type = "graph_object_load_error";
}

unknown_vertex_type::unknown_vertex_type(const std::string &name)
    : poplar_error("unknown vertex type '" + name + "'") {
  type = "unknown_vertex_type";
}

unknown_field::unknown_field(const std::string &field)
    : poplar_error("unknown field '" + field + "'") {
  type = "unknown_field";
}

unknown_field::unknown_field(const std::string &field,
                             const std::string &vertex)
    : poplar_error("unknown field '" + field + "' in vertex '" + vertex + "'") {
  type = "unknown_field";
}

index_error::index_error(const std::string &message) : poplar_error(message) {
  type = "index_error";
}

index_error::index_error(const std::string &vertexDotField, std::size_t index)
    : poplar_error("index " + std::to_string(index) + " is out of range for '" +
                   vertexDotField + "'") {
  type = "index_error";
}

link_error::link_error(const std::string &message, const std::string &output)
    : poplar_error(message), output(output) {
  type = "link_error";
}

link_error::link_error(const char *message, const char *output)
    : link_error(std::string(message), std::string(output)) {}

symbol_error::symbol_error(const std::string &name, unsigned tile)
    : poplar_error("no symbol '" + name + "' on tile " + std::to_string(tile)) {
  type = "symbol_error";
}

file_load_error::file_load_error(const std::string &path)
    : poplar_error("cannot open file '" + path + "'") {
  type = "file_load_error";
}

profiling_disabled::profiling_disabled()
    : profiling_disabled("Profiling is disabled for current device type.") {}

profiling_disabled::profiling_disabled(const std::string &message)
    : poplar_error(message) {
  type = "profiling_disabled";
}

recoverable_runtime_error::recoverable_runtime_error(RecoveryAction action,
                                                     const std::string &message)
    : system_runtime_error(message), action_(action) {
  type = "recoverable_runtime_error";
}

} // namespace poplar
