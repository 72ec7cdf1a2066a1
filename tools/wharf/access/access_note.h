// Says of a broker that asks nobody for a proof what rules of access, which were made just now,
// mean for it. Used behind the commands that make some.
#pragma once

#include "tools/wharf/program.h"

namespace wharf::tool {

// Whoever made a rule wants it obeyed, and whoever did not mean that must hear it before the next
// start refuses all clients.
void NoteIfAccessIsOff(Program& program);

// By which the program is connected, as its token has it; empty: by none.
std::string OwnRuleOf(const Program& program);

}  // namespace wharf::tool
