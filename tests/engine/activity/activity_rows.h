// ActivityRows: each verb of the API, and whether calling it is a use of an entity, so that it is
// not deleted for being idle (ADI-3..5, 9..12).
//
// Semantics section 18 is the authority. Where it is silent this table decides, by two rules: who
// looks at messages, changes what there is, or asks for something that may come, uses the entity,
// also in vain; who only asks about it, or is refused, does not.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/engine/activity/activity_bench.h"

namespace wharf {

// What a call is to the entity at a place. The letter is how the table says it.
enum class Use : char {
  kUse = 'u',
  // It fails, because there is nothing for it now.
  kInVain = 'v',
  kNone = '-',
  // It is refused there, and so it is no use.
  kRefused = '!',
  // Besides, a scheduled message keeps the entity for as long as it waits (ADI-3).
  kScheduled = 's',
};

struct ActivityRow {
  using Prepare = void (*)(ActivityBench&);
  using Call = Status (*)(ActivityBench&);

  // Service and method, as in proto/.
  std::string_view method;
  // Which call of several; empty for the plain one.
  std::string_view remark;
  // A letter for each place, in the order of kPlaces, with a blank between them.
  std::string_view uses;
  Call call;
  // A minute before the call.
  Prepare prepare = nullptr;
  Stock stock = Stock::kMessages;

  std::string name() const;
  Use UseAt(Place place) const;
};
const std::vector<ActivityRow>& ActivityRows();
inline void PrintTo(const ActivityRow& row, std::ostream* out) { *out << row.name(); }

// What is under way for as long as someone waits.
struct WaitingRow {
  // Begins it; what it returns ends it.
  using End = std::function<void()>;
  using Begin = End (*)(ActivityBench&);

  std::string_view method;
  std::string_view remark;
  // For each place: 'u' if all of the wait is a use, '-' if no more than its begin is, '!' if it is
  // not possible there.
  std::string_view uses;
  Begin begin;
  // After five minutes, if nobody ends it before.
  bool ends_by_itself = false;

  std::string name() const;
  Use UseAt(Place place) const;
};
const std::vector<WaitingRow>& WaitingRows();
inline void PrintTo(const WaitingRow& row, std::ostream* out) { *out << row.name(); }

}  // namespace wharf
