#include "broker/reading/upkeep.h"

namespace wharf {

void Upkeep::OnApplied(BatchNotes notes) {
  if (notes.time) garbage_.NoteCommitted(*notes.time);
  if (!notes.freed.empty()) note_freed_(notes.freed);
}

}  // namespace wharf
