#include "broker/reading/shared_body_reader.h"

#include "broker/schema/keys.h"
#include "broker/schema/tables.h"

namespace wharf {

Result<bool> HasHolders(const StoreView& view, const BodyRef& body) {
  const auto rows = view.Scan(IdOf(Table::kBodyRefs), BodyRefRange(body));
  if (rows->valid()) return true;
  if (Status status = rows->status(); !status.ok()) return status;
  return false;
}

}  // namespace wharf
