// How IPUs are joined by IPU links.
#pragma once

namespace poplar {

enum class IpuLinkTopology { Mesh, Torus, Line };

} // namespace poplar
