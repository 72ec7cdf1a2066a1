#include "tests/harness/body_accounts.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include <fmt/core.h>

#include "broker/schema/bytes.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/span_view.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

using Keys = std::set<std::string>;

KeyRange Everything() { return {std::string(), std::string(64, '\xFF')}; }

// The first `length` bytes of all keys of a table.
Keys KeysIn(const StoreView& view, Table table, std::size_t length) {
  Keys keys;
  for (const auto rows = view.Scan(IdOf(table), Everything()); rows->valid(); rows->Next()) {
    keys.emplace(rows->key().substr(0, length));
  }
  return keys;
}

struct Named {
  Keys bodies;
  Keys shares;
};

void AddNamed(const StoreView& view, Table table, Named& named) {
  for (const auto rows = view.Scan(IdOf(table), Everything()); rows->valid(); rows->Next()) {
    const auto message = DecodeMessage(SequenceNumber(1), rows->value());
    if (!message.ok() || !message->facts.body_ref) continue;
    named.bodies.insert(BodyRange(*message->facts.body_ref).begin);
    if (message->facts.body_ref->is_shared()) {
      named.shares.insert(BodyRefKey(*message->facts.body_ref));
    }
  }
}

void Compare(std::string& wrong, std::string_view what, const Keys& wanted, const Keys& there) {
  Keys missing;
  Keys stray;
  std::set_difference(wanted.begin(), wanted.end(), there.begin(), there.end(),
                      std::inserter(missing, missing.end()));
  std::set_difference(there.begin(), there.end(), wanted.begin(), wanted.end(),
                      std::inserter(stray, stray.end()));
  if (!missing.empty()) wrong += fmt::format("{} {} are missing; ", missing.size(), what);
  if (!stray.empty()) wrong += fmt::format("{} {} are needed by nobody; ", stray.size(), what);
}

}  // namespace

std::string FindStrayBodies(const Store& store) {
  constexpr std::size_t kBodyName = 16;
  const SpanView view(store.View());
  Named named;
  AddNamed(view, Table::kMessages, named);
  AddNamed(view, Table::kScheduled, named);
  std::string wrong;
  Compare(wrong, "bodies", named.bodies, KeysIn(view, Table::kBodies, kBodyName));
  Compare(wrong, "shares", named.shares, KeysIn(view, Table::kBodyRefs, kBodyName + 8));
  return wrong;
}

}  // namespace wharf
