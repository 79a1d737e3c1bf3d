# The sources that fuzz targets need, compiled with the instrumentation of libFuzzer.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Protobuf REQUIRED)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)

set(FUZZED
  summary/encoding/utf8
  summary/reading/decoded_tensor summary/reading/decoded_value summary/reading/event_reader summary/reading/event_view
  summary/records/byte_sink summary/records/crc32c summary/records/event_files summary/records/file_source
  summary/records/record_reader summary/records/record_writer
  summary/tag summary/types
  text/json_fields text/json_value text/nearest_names text/number_text text/quoting text/terminal text/table
  outfeed/compare/logged_tensor outfeed/compare/run_difference outfeed/compare/sample_difference
  outfeed/compare/sample_digest outfeed/compare/sample_log_reader
  outfeed/control/control_message outfeed/control/interventions outfeed/control/tap_control
  outfeed/control/watched_tensor
  outfeed/health/injection
  outfeed/intervention outfeed/tap_plan
  host/data/dataset host/data/digits host/data/gzip_file host/data/idx
  graph/model_shapes
  host/plan/options/learning_rate_schedule host/plan/presets/model_file host/plan/presets/model_json host/plan/presets/preset_json
  host/run/manifest_file host/run/mapped_file host/run/text_file host/run/whole_file
  host/train/state/checkpoint
  ipumodel/poplar/codelet/codelet_library ipumodel/poplar/values/exceptions ipumodel/poplar/program/executable_data
  ipumodel/poplar/base/json ipumodel/poplar/program/operator
  ipumodel/poplar/system/file_content ipumodel/poplar/device/global_exchange_constraints ipumodel/poplar/codelet/gp_archive
  ipumodel/poplar/device/ipu_model ipumodel/poplar/system/memory_file ipumodel/poplar/options/option_flags ipumodel/poplar/options/option_table
  ipumodel/poplar/system/shared_object ipumodel/poplar/values/string_ref ipumodel/poplar/device/target ipumodel/poplar/device/target_conv_units
  ipumodel/poplar/device/target_type_limits ipumodel/poplar/view/tile_map ipumodel/poplar/values/type ipumodel/poplar/codelet/vertex_name
  ipumodel/poplar/view/block_parts ipumodel/poplar/view/view)
list(TRANSFORM FUZZED PREPEND "${PROJECT_SOURCE_DIR}/")
list(TRANSFORM FUZZED APPEND ".cpp")
file(GLOB WHOLE CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/outfeed/rules/*.cpp"
  "${PROJECT_SOURCE_DIR}/outfeed/checks/*.cpp"
  "${PROJECT_SOURCE_DIR}/outfeed/checks/kinds/*.cpp"
  "${PROJECT_SOURCE_DIR}/ipumodel/pva/*.cpp")

get_target_property(SUMMARY_BINARY_DIR popscope_summary BINARY_DIR)
foreach(proto event graph tensor)
  list(APPEND PROTOS "${SUMMARY_BINARY_DIR}/generated/summary/proto/${proto}.pb.cc")
endforeach()
set_source_files_properties(${PROTOS} PROPERTIES GENERATED ON)

add_library(fuzzed_sources STATIC EXCLUDE_FROM_ALL ${FUZZED} ${WHOLE} ${PROTOS})
add_dependencies(fuzzed_sources popscope_protos)
target_include_directories(fuzzed_sources PUBLIC
  "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/ipumodel" "${PROJECT_SOURCE_DIR}/ipumodel/include"
  "${SUMMARY_BINARY_DIR}/generated")
target_compile_definitions(fuzzed_sources PUBLIC _GLIBCXX_ASSERTIONS)
# Functions that no target reaches are left out before the linker looks for what they call.
target_compile_options(fuzzed_sources PUBLIC -ffunction-sections -fdata-sections)
target_link_options(fuzzed_sources PUBLIC -fuse-ld=lld LINKER:--gc-sections)
target_link_libraries(fuzzed_sources PUBLIC
  PkgConfig::RE2 Threads::Threads ZLIB::ZLIB protobuf::libprotobuf ${CMAKE_DL_LIBS})
