// RecountPage: what one step of a Recount looks at, and what it finds has to be changed.
//
// On a reader thread, for as long as the step takes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "broker/core/changes/change.h"
#include "broker/reading/recount/recounted_lane.h"
#include "storage/store.h"

namespace wharf {

struct RecountPage {
  const StoreView& view;
  RecountedLane& lane;
  // Null: nothing is to be mended.
  std::vector<RowMend>* mends;

  void Mend(RowMend mend) const {
    if (mends != nullptr) mends->push_back(std::move(mend));
  }
  // The row in `delivery` goes.
  void Drop(Standing standing, SequenceNumber number) const {
    Mend({RowMend::Kind::kDropDelivery, number, standing, std::string()});
  }
};

// Whether a receiver holds the session.
Result<bool> IsHeld(const RecountPage& page, const std::string& session);

}  // namespace wharf
