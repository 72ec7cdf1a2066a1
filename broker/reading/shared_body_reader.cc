#include "broker/reading/shared_body_reader.h"

#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {

Result<bool> HasHolders(const StoreView& view, const BodyRef& body) {
  const auto rows = view.Scan(IdOf(Table::kBodyRefs), BodyRefRange(body));
  if (rows->valid()) return true;
  if (Status status = rows->status(); !status.ok()) return status;
  return false;
}

Result<std::vector<BodyRef>> ReadReleasedBodies(const StoreView& view, const ReleasedPlace& place,
                                                std::size_t count_max) {
  std::vector<BodyRef> bodies;
  const auto rows = view.Scan(IdOf(Table::kJobs), ReleasedBodyRange(place.bucket, place.after));
  for (; rows->valid() && bodies.size() < count_max; rows->Next()) {
    std::optional<BodyRef> body = BodyOfReleasedBodyKey(rows->key());
    if (!body) return Status(ErrorCode::kGeneralError, "a key of the released bodies is damaged");
    const Result<std::uint64_t> size = DecodeLooseBody(rows->value());
    if (!size.ok()) return size.status();
    body->size = *size;
    bodies.push_back(*body);
  }
  WHARF_RETURN_IF_ERROR(rows->status());
  return bodies;
}

}  // namespace wharf
