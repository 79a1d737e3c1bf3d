#include "host/executable/executable_cache.hpp"

#include "graph/codelets.hpp"
#include "host/executable/sha256.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Target.hpp>

#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <utility>

namespace popscope::host {

namespace {

// A graph as bytes may be far larger than its hash.
class HashStream : public std::streambuf {
public:
  explicit HashStream(Sha256 &hash) : hash_(hash) {}

protected:
  int overflow(int character) override {
    const char byte = traits_type::to_char_type(character);
    hash_.add(std::string_view(&byte, 1));
    return traits_type::not_eof(character);
  }
  std::streamsize xsputn(const char *bytes, std::streamsize count) override {
    hash_.add(std::string_view(bytes, std::size_t(count)));
    return count;
  }

private:
  Sha256 &hash_;
};

std::string contentOf(const std::string &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Each part ends by its length, so that none can be taken for two.
class Key {
public:
  void add(const std::string &part) {
    hash_.add(part);
    hash_.add('\n' + std::to_string(part.size()) + '\n');
  }
  void addVariable(const char *name) {
    const char *const value = std::getenv(name);
    add(value ? '=' + std::string(value) : std::string());
  }
  Sha256 &hash() { return hash_; }

private:
  Sha256 hash_;
};

// Of everything that the executable depends on.
std::string keyOf(const poplar::Graph &graph,
                  const std::vector<poplar::program::Program> &programs,
                  const poplar::OptionFlags &options) {
  const poplar::Target &target = graph.getTarget();
  Key key;
  key.add("PopScope executable 1");
  key.add(poplar::versionString());
  key.add(poplar::packageHash());
  std::ostringstream machine;
  machine << unsigned(target.getTargetType()) << ' '
          << std::string(target.getTargetArchString()) << ' '
          << target.getNumIPUs() << ' ' << target.getTilesPerIPU() << ' '
          << graph.getReplicationFactor();
  for (const auto &[option, value] : target.getTargetOptions())
    machine << ' ' << option << '=' << value;
  key.add(machine.str());
  for (const auto &[option, value] : options)
    key.add(option + '=' + value);
  key.addVariable("POPLAR_ENGINE_OPTIONS");
  key.addVariable("POPLAR_TARGET_OPTIONS");
  key.add(contentOf(graph::codeletFile()));
  HashStream stream(key.hash());
  std::ostream out(&stream);
  graph.serialize(out, programs, poplar::SerializationFormat::Binary);
  return key.hash().digits();
}

} // namespace

CachedExecutable
ExecutableCache::compile(const poplar::Graph &graph,
                         const std::vector<poplar::program::Program> &programs,
                         const poplar::OptionFlags &options) const {
  const std::string key = keyOf(graph, programs, options);
  CacheUse use;
  PrivateCache::Found found = cache_.find(key);
  if (found.content) {
    try {
      std::istringstream in(*found.content);
      return {poplar::Executable::deserialize(in), {true, true, {}}};
    } catch (const std::exception &error) {
      found.problem =
          cache_.entry(key).string() + " is not used: " + error.what();
    }
  }
  if (!found.problem.empty())
    use.problems.push_back(found.problem);
  poplar::Executable executable =
      poplar::compileGraph(graph, programs, options);
  try {
    std::ostringstream out;
    executable.serialize(out);
    cache_.store(key, out.str());
    use.isStored = true;
  } catch (const std::exception &error) {
    use.problems.push_back(std::string("the executable is not kept: ") +
                           error.what());
  }
  return {std::move(executable), std::move(use)};
}

} // namespace popscope::host
