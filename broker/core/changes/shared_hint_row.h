// The row of a shared hint: where it stands among the hints of its bucket.
//
// The number in its key is its end, which never changes and no other hint of the lane has: while it
// is moved on its first number may become that of another one. A plain function.
#pragma once

#include "broker/core/changes/change.h"

namespace wharf {

inline DueHint RowOf(const SharedHint& shared) {
  DueHint row = shared.hint;
  row.number = shared.end;
  return row;
}

}  // namespace wharf
