// GarbageAsOf: which rows of a view may be gone in the state of one node and not in that of another
// one, because compactions come to them when they like: what is garbage as of its position.
//
// Rows that are garbage by time count some minutes early: compactions go by the commit that is the
// last while the view is read, which is a later one. Spans that are newer than the view are
// believed by nobody while it is open. Used by a thread that compares states.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "broker/schema/garbage.h"
#include "storage/left_out_rows.h"
#include "storage/row_judge.h"
#include "storage/view_ledger.h"

namespace wharf {

class GarbageAsOf final : public LeftOutRows {
 public:
  // `now`: by which the compactions of the store go that the view is of; outlives it.
  static Result<std::unique_ptr<LeftOutRows>> Make(const StoreView& view, Timestamp time,
                                                   const Garbage& now);

  bool IsLeftOut(TableId table, std::string_view key, std::string_view value) override;
  bool is_true_yet() const override { return !now_.IsForgotten(first_kept_); }

 private:
  GarbageAsOf(Timestamp until, const Garbage& now);

  Status Load(const StoreView& view, Timestamp until);

  const Garbage& now_;
  // Of those that are garbage by time, and are not left out, the first to be it.
  const std::string first_kept_;
  ViewLedger views_;
  Garbage garbage_;
  // By table; null: none of its rows ever is garbage.
  std::vector<std::unique_ptr<RowJudge>> judges_;
};

}  // namespace wharf
