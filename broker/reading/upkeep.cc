#include "broker/reading/upkeep.h"

namespace wharf {

void Upkeep::OnApplied(BatchNotes notes) {
  garbage_.OnApplied(notes);
  if (!notes.freed.empty()) note_freed_(notes.freed);
}

}  // namespace wharf
