// How a graph is written to a stream.
#pragma once

namespace poplar {

enum class SerializationFormat { Binary, JSON };

} // namespace poplar
