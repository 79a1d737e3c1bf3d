// How the IPU links of a machine are configured.
#pragma once

namespace poplar {

enum class IpuLinkConfiguration { Default, SlidingWindow, BarleyTwist };

} // namespace poplar
