// Runs popc on codelets a program brings as source.
#pragma once

#include <iosfwd>
#include <string>

namespace ipumodel {

// Return the bytes of an archive; contract as in CodeletLibrary. `flags` are
// words for popc's command line, quoted as in a shell.
std::string compileCodeletFile(const std::string &path,
                               const std::string &flags, std::ostream &output);
std::string compileCodeletSource(const std::string &text,
                                 const std::string &flags,
                                 std::ostream &output);

// $POPC, the popc beside this library, the one of its build tree, or one in
// PATH. Throws no_environment.
std::string findPopc();

} // namespace ipumodel
