#include "pva/program.hpp"
#include "pva/report_data.hpp"
#include "pva/report_file.hpp"

#include <pva/pva.hpp>

#include <stdexcept>

namespace pva {

namespace data = ipumodel::profile;

namespace {

// Elements constructed from the report and each of [0, count).
template <class T>
std::vector<T> list(const ReportData &report, std::size_t count) {
  std::vector<T> elements;
  elements.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    elements.emplace_back(report, i);
  return elements;
}

std::runtime_error notModelled(const std::string &category) {
  return std::runtime_error("the tile model has no memory of category " +
                            category);
}

} // namespace

std::vector<Tile> IPU::tiles() const {
  const std::size_t perIpu = report_->compilation.target.tilesPerIpu;
  std::vector<Tile> tiles;
  for (std::size_t i = 0; i < perIpu; ++i)
    tiles.emplace_back(report_, index_ * perIpu + i);
  return tiles;
}

Target::Type Target::type() const {
  return report_->compilation.target.type == "IPU" ? Type::Ipu : Type::IpuModel;
}

IPU::Architecture Target::architecture() const {
  const std::string &name = report_->compilation.target.architecture;
  return name == "ipu1"    ? IPU::Architecture::Ipu1
         : name == "ipu21" ? IPU::Architecture::Ipu21
                           : IPU::Architecture::Ipu2;
}

unsigned Target::numReplicas() const {
  return static_cast<unsigned>(report_->compilation.target.numReplicas);
}

unsigned Target::numIPUs() const {
  return static_cast<unsigned>(report_->compilation.target.numIpus);
}

unsigned Target::tilesPerIpu() const {
  return static_cast<unsigned>(report_->compilation.target.tilesPerIpu);
}

unsigned Target::numTiles() const {
  return static_cast<unsigned>(report_->compilation.target.numTiles());
}

std::uint64_t Target::bytesPerTile() const {
  return report_->compilation.target.bytesPerTile;
}

std::uint64_t Target::bytesPerIPU() const {
  return bytesPerTile() * tilesPerIpu();
}

std::uint64_t Target::totalMemory() const {
  return bytesPerTile() * numTiles();
}

double Target::clockFrequency() const {
  return report_->compilation.target.clockFrequency;
}

std::size_t Graph::numComputeSets() const {
  return report_->compilation.computeSets.size();
}

std::size_t Graph::numEdges() const { return report_->compilation.numEdges; }

std::size_t Graph::numVars() const {
  return report_->compilation.variables.size();
}

std::size_t Graph::numVertices() const {
  std::size_t count = 0;
  for (const data::ComputeSet &set : report_->compilation.computeSets)
    count += set.vertexTypes.size();
  return count;
}

std::string Variable::name() const {
  return report_->compilation.variables[index_].name;
}

std::uint64_t Variable::bytes() const {
  return report_->compilation.variables[index_].bytes;
}

bool Variable::isConstant() const {
  return report_->compilation.variables[index_].constant;
}

std::string VertexType::name() const {
  return report_->compilation.vertexTypes[index_];
}

VertexType VertexInstance::type() const {
  return VertexType(
      report_,
      report_->compilation.computeSets[computeSet_].vertexTypes[index_]);
}

ComputeSet VertexInstance::computeSet() const {
  return ComputeSet(report_, computeSet_);
}

unsigned VertexInstance::tile() const {
  return report_->compilation.computeSets[computeSet_].vertexTiles[index_];
}

std::uint64_t VertexInstance::estimatedCycles() const {
  return report_->compilation.computeSets[computeSet_].vertexCycles[index_];
}

std::string ComputeSet::name() const {
  const data::Compilation &compilation = report_->compilation;
  return index_ == data::kNone ? compilation.programs[program_].name
                               : compilation.computeSets[index_].name;
}

std::vector<VertexInstance> ComputeSet::vertices() const {
  std::vector<VertexInstance> vertices;
  if (index_ == data::kNone)
    return vertices;
  const std::size_t count =
      report_->compilation.computeSets[index_].vertexTypes.size();
  for (std::size_t i = 0; i < count; ++i)
    vertices.emplace_back(report_, index_, i);
  return vertices;
}

std::vector<std::uint64_t> ComputeSet::estimatedCyclesByTile() const {
  return ipumodel::cyclesByTile(
      *report_, index_ == data::kNone
                    ? report_->compilation.programs[program_].tileCycles
                    : report_->compilation.computeSets[index_].tileCycles);
}

MemoryCategory MemoryCategories::variable() const {
  return MemoryCategory(report_->compilation.memory.variables[index_]);
}

MemoryCategory MemoryCategories::constant() const {
  return MemoryCategory(report_->compilation.memory.constants[index_]);
}

MemoryCategory MemoryCategories::vertexInstanceState() const {
  return MemoryCategory(report_->compilation.memory.vertexState[index_]);
}

MemoryCategory MemoryCategories::vertexCode() const {
  throw notModelled("vertexCode");
}

MemoryCategory MemoryCategories::controlCode() const {
  throw notModelled("controlCode");
}

MemoryCategory MemoryCategories::internalExchangeCode() const {
  throw notModelled("internalExchangeCode");
}

MemoryCategory MemoryCategories::hostExchangeCode() const {
  throw notModelled("hostExchangeCode");
}

MemoryCategory MemoryCategories::globalExchangeCode() const {
  throw notModelled("globalExchangeCode");
}

MemoryCategory MemoryCategories::copyDescriptor() const {
  throw notModelled("copyDescriptor");
}

MemoryTotal TileMemory::total() const {
  return MemoryTotal(report_->compilation.memory.total(index_));
}

MemoryCategories TileMemory::category() const {
  return MemoryCategories(report_, index_);
}

std::uint64_t TileMemory::alwaysLiveBytes() const {
  return report_->compilation.memory.total(index_);
}

std::vector<VertexInstance> TileMemory::vertices() const {
  std::vector<VertexInstance> vertices;
  const auto &sets = report_->compilation.computeSets;
  for (std::size_t set = 0; set < sets.size(); ++set)
    for (std::size_t i = 0; i < sets[set].vertexTiles.size(); ++i)
      if (sets[set].vertexTiles[i] == index_)
        vertices.emplace_back(report_, set, i);
  return vertices;
}

std::vector<IPU> Compilation::ipus() const {
  return list<IPU>(report_, report_->compilation.target.numIpus);
}

std::vector<Tile> Compilation::tiles() const {
  return list<Tile>(report_, report_->compilation.target.numTiles());
}

std::vector<ComputeSet> Compilation::computeSets() const {
  return list<ComputeSet>(report_, report_->compilation.computeSets.size());
}

std::vector<Variable> Compilation::alwaysLiveVariables() const {
  return list<Variable>(report_, report_->compilation.variables.size());
}

std::string DebugContext::kind() const {
  return report_->debugContexts[index_].kind;
}

std::string DebugContext::name() const {
  return report_->debugContexts[index_].name;
}

std::string DebugContext::fileName() const {
  return report_->debugContexts[index_].file;
}

std::string DebugContext::functionName() const {
  return report_->debugContexts[index_].function;
}

unsigned DebugContext::lineNumber() const {
  return static_cast<unsigned>(report_->debugContexts[index_].line);
}

PoplarVersion Report::poplarVersion() const {
  return PoplarVersion(data_->poplarVersion);
}

Execution Report::execution() const {
  if (!data_->hasExecution)
    throw std::runtime_error("the report has no execution profile");
  return Execution(data_);
}

std::vector<DebugContext> Report::debugContexts() const {
  return list<DebugContext>(data_, data_->debugContexts.size());
}

Report openReport(const std::string &profilePath,
                  const std::string &debugPath) {
  auto report =
      std::make_shared<data::Report>(ipumodel::readReport(profilePath));
  if (!debugPath.empty())
    report->debugContexts = ipumodel::readDebugContexts(debugPath);
  return Report(std::move(report));
}

} // namespace pva
