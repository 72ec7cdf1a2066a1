// Arguments: what stands behind the program's name, in the form that the parser reads rightly.
#pragma once

#include <string>
#include <vector>

namespace wharf::command_line {

// The last one first, as the parser takes them. "--to=" means the empty text, for which the parser
// would take the next argument: it becomes two, "--to" and "".
std::vector<std::string> ReversedArguments(int argc, const char* const* argv);

}  // namespace wharf::command_line
