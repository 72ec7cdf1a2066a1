// What is left of a message in quarantine.

#include <utility>

#include "broker/doors/grpc/convert/convert.h"

namespace wharf {
namespace {

v1::ExportedRow::Kind KindToProto(ExportedRow::Kind kind) {
  switch (kind) {
    case ExportedRow::Kind::kMessage:
      return v1::ExportedRow::KIND_MESSAGE;
    case ExportedRow::Kind::kDelivery:
      return v1::ExportedRow::KIND_DELIVERY;
    case ExportedRow::Kind::kBody:
      return v1::ExportedRow::KIND_BODY;
  }
  return v1::ExportedRow::KIND_UNSPECIFIED;
}

}  // namespace

void ToProto(QuarantineExport page, v1::ExportBySequenceNumberResponse* proto) {
  proto->set_unreadable_reason(page.reason);
  for (ExportedRow& each : page.rows) {
    v1::ExportedRow& row = *proto->add_rows();
    row.set_kind(KindToProto(each.kind));
    row.set_chunk(each.chunk);
    row.set_data(std::move(each.data));
    row.set_unreadable_reason(std::move(each.unreadable));
  }
  if (page.next) proto->set_next_row(*page.next);
}

}  // namespace wharf
