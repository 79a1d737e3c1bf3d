#include "poplar/codelet/codelet_library.hpp"
#include "poplar/codelet/poplibs_codelets.hpp"
#include "poplar/graph/graph_impl.hpp"

#include <poplar/Graph.hpp>

#include <filesystem>

namespace ipumodel {

static const abi::VertexType *findCodelet(const GraphData &graph,
                                          std::string_view name) {
  for (const auto &library : graph.libraries)
    if (const abi::VertexType *type = library->find(name))
      return type;
  return nullptr;
}

const abi::VertexType &GraphImpl::codelet(const std::string &name) const {
  if (const abi::VertexType *found = findCodelet(*data, name))
    return *found;
  const std::string source = poplibsCodeletSource(name);
  if (source.empty())
    throw poplar::unknown_vertex_type(name);
  data->libraries.push_back(
      CodeletLibrary::compileSource(source, "", std::cerr));
  if (const abi::VertexType *found = findCodelet(*data, name))
    return *found;
  throw poplar::unknown_vertex_type(name);
}

} // namespace ipumodel

namespace poplar {

using ipumodel::CodeletLibrary;
using ipumodel::GraphImpl;
using ipumodel::implOf;

namespace {

// Returns false if the graph has these codelets already. Throws
// graph_object_creation_error if another library has a codelet of the same
// name.
bool addLibrary(GraphImpl &impl, const CodeletLibrary::Pointer &library,
                const std::string &source) {
  auto &libraries = impl.data->libraries;
  for (const CodeletLibrary::Pointer &known : libraries)
    if (known == library || known->archive() == library->archive())
      return false;
  for (const ipumodel::abi::VertexType *type : library->vertexTypes())
    if (ipumodel::findCodelet(*impl.data, type->name))
      throw graph_object_creation_error("addCodelets " + source +
                                        ": the graph has a codelet " +
                                        type->name + " already");
  libraries.push_back(library);
  return true;
}

CodeletLibrary::Pointer load(const std::string &path, CodeletFileType type,
                             const std::string &flags, std::ostream &output) {
  if (type == CodeletFileType::Auto)
    type = getCodeletFileType(path.c_str());
  switch (type) {
  case CodeletFileType::Object:
    return CodeletLibrary::loadFile(path);
  case CodeletFileType::CSource:
  case CodeletFileType::CppSource:
    return CodeletLibrary::compileFile(path, flags, output);
  default:
    throw graph_program_compilation_error(
        "addCodelets " + path + ": " + getLanguageOption(type) +
        " for a tile cannot run on this processor");
  }
}

} // namespace

// Codelets are always compiled for the host's processor, whatever targetName
// says.
bool Graph::addCodelets(StringRef src, CodeletFileType type,
                        StringRef compileFlags, StringRef targetName) {
  return addCodelets(src, type, compileFlags, std::cerr, targetName);
}

bool Graph::addCodelets(StringRef src, CodeletFileType type,
                        StringRef compileFlags, std::ostream &compileOutput,
                        StringRef) {
  GraphImpl &impl = implOf(*this);
  const std::string path = src;
  const std::string unique = std::filesystem::weakly_canonical(path).string();
  if (impl.building->codeletFiles.count(unique))
    return false;
  const bool added =
      addLibrary(impl, load(path, type, compileFlags, compileOutput), path);
  impl.building->codeletFiles.insert(unique);
  return added;
}

// Returns true if any of them was added.
bool Graph::addCodelets(ArrayRef<std::string> xs, StringRef compileFlags,
                        StringRef targetName) {
  bool added = false;
  for (const std::string &path : xs)
    added = addCodelets(StringRef(path), CodeletFileType::Auto, compileFlags,
                        targetName) ||
            added;
  return added;
}

void Graph::addCodelets(std::stringstream &stream, StringRef compileFlags,
                        CodeletFileType type, StringRef targetName) {
  addCodelets(stream, compileFlags, std::cerr, type, targetName);
}

void Graph::addCodelets(std::stringstream &stream, StringRef compileFlags,
                        std::ostream &compileOutput, CodeletFileType type,
                        StringRef) {
  if (type != CodeletFileType::CppSource && type != CodeletFileType::CSource)
    throw graph_program_compilation_error(
        "addCodelets: a stream can only hold C or C++");
  GraphImpl &impl = implOf(*this);
  const auto library =
      CodeletLibrary::compileSource(stream.str(), compileFlags, compileOutput);
  if (!addLibrary(impl, library, "from a stream"))
    throw graph_object_creation_error(
        "addCodelets: the codelets of this stream are in the graph already");
}

bool Graph::hasCodelet(StringRef name) const {
  return ipumodel::findCodelet(*implOf(*this).data, {name.data(), name.size()});
}

} // namespace poplar
