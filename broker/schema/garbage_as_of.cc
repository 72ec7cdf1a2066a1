#include "broker/schema/garbage_as_of.h"

#include <utility>

#include "broker/schema/garbage_rules.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// Far longer than a range is read for.
constexpr Duration kEarly = std::chrono::minutes(10);

}  // namespace

GarbageAsOf::GarbageAsOf(Timestamp until, const Garbage& now)
    : now_(now),
      first_kept_(EncodeDuplicate({SequenceNumber(), until + Duration(1), false})),
      garbage_(views_) {}

Result<std::unique_ptr<LeftOutRows>> GarbageAsOf::Make(const StoreView& view, Timestamp time,
                                                       const Garbage& now) {
  std::unique_ptr<GarbageAsOf> as_of(new GarbageAsOf(time + kEarly, now));
  WHARF_RETURN_IF_ERROR(as_of->Load(view, time + kEarly));
  for (const GarbageRule& rule : GarbageRules()) {
    as_of->judges_.push_back(rule.make_judge == nullptr ? nullptr
                                                        : rule.make_judge(as_of->garbage_));
  }
  return std::unique_ptr<LeftOutRows>(std::move(as_of));
}

// As if all spans were written now, and nothing is open that is older.
Status GarbageAsOf::Load(const StoreView& view, Timestamp until) {
  BatchNotes notes{.time = until};
  const auto rows = view.Scan(IdOf(Table::kSpans), {std::string(), std::string(1, '\xFF')});
  for (; rows->valid(); rows->Next()) {
    const std::string key(rows->key());
    notes.watched.push_back({{IdOf(Table::kSpans), {key, key + '\0'}}, std::string(rows->value())});
  }
  WHARF_RETURN_IF_ERROR(rows->status());
  garbage_.OnApplied(notes);
  return {};
}

bool GarbageAsOf::IsLeftOut(TableId table, std::string_view key, std::string_view value) {
  RowJudge* const judge = judges_[table].get();
  return judge != nullptr && judge->IsGarbage(key, value);
}

}  // namespace wharf
