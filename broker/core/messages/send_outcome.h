// SendOutcome: what became of a message that was sent.
#pragma once

#include "storage/base/ids.h"

namespace wharf {

struct SendOutcome {
  // Of the message, or of the one that it duplicates (RCP-1); 0 if that is no longer known.
  SequenceNumber number;
  bool is_duplicate = false;
  friend bool operator==(const SendOutcome&, const SendOutcome&) = default;
};

}  // namespace wharf
