// Standard streams of a program that was started without them.
#pragma once

namespace ipumodel {

// A file opened later would take the place of a standard stream that is closed,
// and get what is printed. Reading from the null device gives nothing, writing
// to it as it is opened here fails. To be called first in main.
void occupyStandardStreams();

} // namespace ipumodel
