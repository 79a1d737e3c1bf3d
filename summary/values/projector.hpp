// The embedding projector: vectors, what is known about each, and a picture of
// each. It reads files beside the event files, not events.
#pragma once

#include "summary/span.hpp"
#include "summary/values/image.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace popscope::summary {

struct Embedding {
  std::string name; // also the names of its files; one path component
  std::size_t dimensions;
  Span<const float> vectors; // rows of `dimensions`

  // One row of labels per vector, or none. More than one column needs names.
  // A row without any text is shown as "-".
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> labels;

  // One picture per vector, all of one size and format, or none.
  std::vector<ImageView> pictures;
};

// Writes the files of all embeddings of a run and, last, the configuration
// that names them, replacing what was there. Non-finite elements are written
// as 0 since the page cannot parse them. Throws std::invalid_argument if the
// sizes do not match, std::system_error if a file cannot be written.
void writeProjector(const std::filesystem::path &runDirectory,
                    const std::vector<Embedding> &embeddings);

} // namespace popscope::summary
