#include "storage/apply/entry_assembler.h"

#include <utility>

namespace wharf {

Result<std::optional<WholeBatches>> EntryAssembler::Add(const LogEntry& entry) {
  if (open_ && open_->head.term != entry.term) open_.reset();
  if (entry.kind != EntryKind::kBatch || entry.data.empty()) return std::optional<WholeBatches>();
  const Result<DecodedEntry> decoded = DecodeEntry(entry.data);
  if (!decoded.ok()) return decoded.status();
  if (decoded->head.term != entry.term) return std::optional<WholeBatches>();
  if (decoded->head.parts > 1) return AddPart(*decoded);
  if (!decoded->head.is_check) open_.reset();
  return std::optional<WholeBatches>({decoded->head, std::string(decoded->payload)});
}

Result<std::optional<WholeBatches>> EntryAssembler::AddPart(const DecodedEntry& part) {
  if (part.head.part == 0) {
    open_.emplace();
  } else if (!open_ || open_->head.parts != part.head.parts ||
             open_->head.part + 1 != part.head.part) {
    return Status::Damage("a part of a batch does not follow the one before it");
  }
  if (open_->payload.size() + part.payload.size() > batch_bytes_max_) {
    return Status::Damage("a batch is larger than any may be");
  }
  open_->head = part.head;
  open_->payload.append(part.payload);
  if (part.head.part + 1 < part.head.parts) return std::optional<WholeBatches>();
  return std::exchange(open_, std::nullopt);
}

}  // namespace wharf
