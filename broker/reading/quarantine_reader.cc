#include "broker/reading/quarantine_reader.h"

#include <utility>

#include <fmt/core.h>

#include "broker/reading/careful_reader.h"
#include "broker/schema/change_encoder.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

constexpr std::uint32_t kMessageRow = 0;
constexpr std::uint32_t kDeliveryRow = 1;
constexpr std::uint32_t kBodyRows = 2;

// What a row costs a page beside its bytes.
constexpr std::size_t kRowOverhead = 64;

// Of a body that came together with its message.
constexpr std::uint32_t kChunksOfHeldMax = kHeldBodyBytesMax / kBodyChunkBytes;
// No entity takes larger messages (SIZ-8): a record that says so is not believed.
constexpr std::uint64_t kBodyBytesMax = 100 * 1024 * 1024;

Status NotInQuarantine(const StoreView& view, const ExportRange& range) {
  const auto found = LookAt(view, range.shelf, range.number, Bodies::kLeave);
  if (!found.ok()) return found.status();
  if (!*found) {
    return {ErrorCode::kMessageNotFound, fmt::format("'{}' has no message with the number {}",
                                                     range.name, range.number.value())};
  }
  return {ErrorCode::kInvalidOperation,
          fmt::format("message {} of '{}' is not in quarantine", range.number.value(), range.name)};
}

class Exporter {
 public:
  Exporter(const StoreView& view, const ExportRange& range) : view_(view), range_(range) {}

  Result<QuarantineExport> Run() {
    WHARF_RETURN_IF_ERROR(FindNote());
    WHARF_RETURN_IF_ERROR(FindBody());
    std::size_t bytes = 0;
    for (std::uint32_t row = range_.from_row; row < rows_; ++row) {
      if (bytes >= range_.bytes_max && !page_.rows.empty()) {
        page_.next = row;
        break;
      }
      Result<ExportedRow> read = ReadRow(row);
      if (!read.ok()) return read.status();
      bytes += kRowOverhead + read->data.size() + read->unreadable.size();
      page_.rows.push_back(*std::move(read));
    }
    return std::move(page_);
  }

 private:
  std::string DeliveryRowKey() const {
    return DeliveryKey(range_.shelf, Standing::kQuarantined, range_.number);
  }

  // A note that says nothing is exported like any row that says nothing.
  Status FindNote() {
    const auto record = view_.Get(IdOf(Table::kDelivery), DeliveryRowKey());
    if (!record.ok()) return record.status();
    if (!*record) return NotInQuarantine(view_, range_);
    Result<QuarantinedRow> row = DecodeQuarantined(range_.number, **record);
    if (row.ok()) facts_ = std::move(row->row.facts);
    page_.reason = row.ok() ? std::move(row->note.reason) : row.status().message();
    return {};
  }

  // By what was known when it went into quarantine, or by its record. A record that cannot be read
  // leaves the place where the body of a message stands that was sent here.
  Status FindBody() {
    const bool is_known = facts_.size > 0 || FindFacts();
    if (!is_known) return FindBodyBornHere();
    if (!facts_.body_ref) return {};
    if (facts_.body_ref->size > kBodyBytesMax) return FindBodyBornHere();
    body_ = *facts_.body_ref;
    rows_ += static_cast<std::uint32_t>((body_.size + kBodyChunkBytes - 1) / kBodyChunkBytes);
    return {};
  }

  bool FindFacts() {
    const auto record = view_.Get(IdOf(Table::kMessages), MessageKey(range_.shelf, range_.number));
    if (!record.ok() || !*record) return false;
    Result<StoredMessage> message = DecodeMessage(range_.number, **record);
    if (message.ok()) facts_ = std::move(message->facts);
    return message.ok();
  }

  // Its size is not known: it ends where no more is stored. A number is given once in an entity, so
  // that this body is no other message's.
  Status FindBodyBornHere() {
    body_ = {.entity = range_.shelf.entity, .number = range_.number};
    for (std::uint32_t chunk = 0; chunk < kChunksOfHeldMax; ++chunk, ++rows_) {
      const auto row = view_.Get(IdOf(Table::kBodies), BodyKey(body_, chunk));
      if (!row.ok() && !row.status().is_damage()) return row.status();
      if (row.ok() && !*row) break;
    }
    return {};
  }

  Result<ExportedRow> ReadRow(std::uint32_t row) const {
    using Kind = ExportedRow::Kind;
    if (row == kMessageRow) {
      return Read({Kind::kMessage}, Table::kMessages, MessageKey(range_.shelf, range_.number));
    }
    if (row == kDeliveryRow) return Read({Kind::kDelivery}, Table::kDelivery, DeliveryRowKey());
    const std::uint32_t chunk = row - kBodyRows;
    return Read({Kind::kBody, chunk}, Table::kBodies, BodyKey(body_, chunk));
  }

  Result<ExportedRow> Read(ExportedRow row, Table table, std::string_view key) const {
    Result<std::optional<std::string>> stored = view_.Get(IdOf(table), key);
    if (!stored.ok() && !stored.status().is_damage()) return stored.status();
    if (!stored.ok()) {
      row.unreadable = stored.status().message();
    } else if (!*stored) {
      row.unreadable = "it is not in the store";
    } else {
      row.data = **std::move(stored);
    }
    return row;
  }

  const StoreView& view_;
  const ExportRange& range_;
  MessageFacts facts_;
  BodyRef body_;
  std::uint32_t rows_ = kBodyRows;
  QuarantineExport page_;
};

}  // namespace

Result<QuarantineExport> ReadQuarantine(const StoreView& view, const ExportRange& range) {
  return Exporter(view, range).Run();
}

}  // namespace wharf
