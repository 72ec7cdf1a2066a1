// CoreDumps: keys are in no file that a crash leaves behind, and no other process of the same user
// reads them out of memory. Used by main.cc.
#pragma once

namespace wharf {

// From now on the process leaves no dump, and only root may look into it: its files below /proc are
// root's. It logs that it cannot, where it cannot.
void KeepOutOfCores();

}  // namespace wharf
