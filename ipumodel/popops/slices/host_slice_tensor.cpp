#include <poplar/Graph.hpp>
#include <popops/HostSliceTensor.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

namespace popops {

using namespace poplar;

namespace {

constexpr std::size_t kPacketBytes = 1024; // exchanged with a tile at a time

std::size_t ceilDivide(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

// Distributes the packets of all rows over the tiles, in order and evenly,
// after those of `offset` bytes. Returns the tile on which each row begins.
std::vector<unsigned> mapPackets(Graph &graph, const Tensor &rows,
                                 std::size_t offset) {
  const Target &target = graph.getTarget();
  const std::size_t size = rows.dim(1);
  const std::size_t packetSize =
      kPacketBytes / target.getTypeSize(rows.elementType());
  const std::size_t perRow = ceilDivide(size, packetSize);
  const std::size_t packets = std::max<std::size_t>(rows.dim(0) * perRow, 1);
  const std::size_t tiles = target.getNumTiles();
  const auto tileOf = [&](std::size_t packet) {
    return static_cast<unsigned>((ceilDivide(offset, kPacketBytes) +
                                  packet * std::min(packets, tiles) / packets) %
                                 tiles);
  };
  std::vector<unsigned> begins;
  for (std::size_t row = 0; row < rows.dim(0); ++row) {
    begins.push_back(tileOf(row * perRow));
    for (std::size_t i = 0; i < perRow; ++i)
      graph.setTileMapping(
          rows[row].slice(i * packetSize, std::min((i + 1) * packetSize, size)),
          tileOf(row * perRow + i));
  }
  return begins;
}

} // namespace

// Reading and writing cost the same here, so both have the same layout.
Tensor createHostTransferableTensor(Graph &graph, const Type &type,
                                    const std::vector<size_t> &shape, bool,
                                    const size_t offset,
                                    const DebugContext &debugContext) {
  const Tensor t = graph.addVariable(type, shape, debugContext);
  mapPackets(graph, t.flatten().expand({0}), offset);
  return t;
}

Tensor createHostTransferableTensor(Graph &graph, const Type &type,
                                    const std::vector<size_t> &shape,
                                    bool isRead,
                                    const DebugContext &debugContext) {
  return createHostTransferableTensor(graph, type, shape, isRead, 0,
                                      debugContext);
}

IndicesAndTensor createHostSliceableTensor(Graph &graph, const Type &type,
                                           const std::vector<size_t> &shape,
                                           const bool, const size_t offset,
                                           const DebugContext &debugContext) {
  if (shape.size() != 2)
    throw poputil::poplibs_error("createHostSliceableTensor: a matrix is "
                                 "needed, not a tensor of rank " +
                                 std::to_string(shape.size()));
  const IndicesAndTensor result{
      graph.addVariable(UNSIGNED_INT, {shape[0]}, {debugContext, "indices"}),
      graph.addVariable(type, shape, debugContext)};
  const std::vector<unsigned> tiles = mapPackets(graph, result.tensor, offset);
  for (std::size_t row = 0; row < tiles.size(); ++row)
    graph.setTileMapping(result.indices[row], tiles[row]);
  return result;
}

IndicesAndTensor createHostSliceableTensor(Graph &graph, const Type &type,
                                           const std::vector<size_t> &shape,
                                           const bool isRead,
                                           const DebugContext &debugContext) {
  return createHostSliceableTensor(graph, type, shape, isRead, 0, debugContext);
}

} // namespace popops
