#include "broker/reading/recount/recount_page.h"

#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {

Result<bool> IsHeld(const RecountPage& page, const std::string& session) {
  const auto row =
      page.view.Get(IdOf(Table::kSessions), SessionKey(page.lane.shelf.entity, session));
  // A session that is lost is held by nobody who could be found.
  if (row.status().is_damage()) return false;
  if (!row.ok()) return row.status();
  if (!*row) return false;
  const Result<SessionRow> decoded = DecodeSession(**row);
  return decoded.ok() && !decoded->token.is_zero();
}

}  // namespace wharf
