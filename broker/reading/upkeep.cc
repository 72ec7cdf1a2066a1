#include "broker/reading/upkeep.h"

#include <utility>

namespace wharf {

void Upkeep::OnApplied(BatchNotes notes) {
  if (notes.time) garbage_.NoteCommitted(*notes.time);
  if (!notes.freed.empty()) readers_.GiveBack(std::move(notes.freed));
}

}  // namespace wharf
