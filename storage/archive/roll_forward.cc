#include "storage/archive/roll_forward.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "storage/archive/archive_reader.h"
#include "storage/write_batch.h"

namespace wharf {
namespace {

using ApplyBatches = std::function<Status(const ArchivedBatches&)>;

std::string MomentText(const Moment& moment) {
  if (moment.time == Timestamp::min()) return fmt::format("commit {}", moment.last.value());
  return fmt::format("commit {} of {}", moment.last.value(), ToString(moment.time));
}

Status RefuseMoment(std::string sentence) {
  return {ErrorCode::kInvalidOperation, std::move(sentence)};
}

// Commits of one run, from what a backup has to where it is to end.
class MomentWalk {
 public:
  MomentWalk(const ArchiveFolder& folder, std::uint64_t run, const Moment& begin,
             const RestoreUntil& until, const RecipientKeys* keys, const ApplyBatches& apply)
      : folder_(folder), run_(run), until_(until), keys_(keys), apply_(apply), at_(begin) {}

  Result<Moment> Do() {
    WHARF_RETURN_IF_ERROR(CheckBegin());
    if (until_.index && *until_.index == at_.last) return at_;
    ArchiveReader reader(folder_, run_, keys_);
    WHARF_RETURN_IF_ERROR(WithAdvice(reader.Seek(at_.last.Next())));
    while (!has_ended_) {
      const Result<std::optional<ArchiveBlock>> block = reader.Next();
      if (!block.ok()) return WithAdvice(block.status());
      if (!*block) break;
      WHARF_RETURN_IF_ERROR(AddBlock(**block));
    }
    WHARF_RETURN_IF_ERROR(CheckEnd());
    return at_;
  }

 private:
  Status CheckBegin() const {
    if (until_.index && *until_.index < at_.last) {
      return RefuseMoment(
          fmt::format("the backup has {} already, which is behind commit {}: take an "
                      "earlier backup",
                      MomentText(at_), until_.index->value()));
    }
    if (until_.time && *until_.time < at_.time) {
      return RefuseMoment(
          fmt::format("the backup has {} already, which is later than {}: take an "
                      "earlier backup",
                      MomentText(at_), ToString(*until_.time)));
    }
    return {};
  }

  Status AddBlock(const ArchiveBlock& block) {
    if (block.head.last <= at_.last) return {};
    if (block.is_sealed) return PassSealed(block.head);
    const Result<std::vector<ArchivedBatches>> records = RecordsOf(block.head, block.data);
    if (!records.ok()) return records.status();
    for (const ArchivedBatches& each : *records) {
      if (each.last <= at_.last) continue;
      WHARF_RETURN_IF_ERROR(CheckUndivided(each));
      has_ended_ = IsBehindEnd(each);
      if (has_ended_) return {};
      if (each.first() != at_.last.Next()) {
        return Status::Damage(
            fmt::format("the archive has no beginning behind {}", MomentText(at_)));
      }
      WHARF_RETURN_IF_ERROR(apply_(each));
      at_ = {each.last, each.time};
    }
    has_ended_ = until_.index && at_.last == *until_.index;
    return {};
  }

  // What is in it nobody knows here, but for which commits and when.
  Status PassSealed(const ArchiveBlockHead& head) {
    at_ = {head.last, head.last_time};
    has_ended_ = until_.index && at_.last >= *until_.index;
    return {};
  }

  // Commits without a time of their own came as one piece, and nobody knows where one of them ends.
  Status CheckUndivided(const ArchivedBatches& piece) const {
    if (piece.batches == 1 || !IsBehindEnd(piece)) return {};
    if (until_.index && *until_.index < piece.first()) return {};
    return RefuseMoment(fmt::format(
        "the commits {} to {} are in the archive as one piece, and nobody knows which of them were "
        "made by {}: restore with --until-index {} or {}",
        piece.first().value(), piece.last.value(),
        until_.index ? fmt::format("commit {}", until_.index->value()) : ToString(*until_.time),
        at_.last.value(), piece.last.value()));
  }

  bool IsBehindEnd(const ArchivedBatches& each) const {
    return (until_.index && each.last > *until_.index) || (until_.time && each.time > *until_.time);
  }

  // What was committed later, but before the moment, may be what is missing.
  Status CheckEnd() const {
    const bool is_reached =
        has_ended_ || (!until_.index && !until_.time) || (until_.time && *until_.time == at_.time);
    if (is_reached) return {};
    return RefuseMoment(fmt::format(
        "the archive of this backup ends with {}, before {}, and nobody knows what "
        "was committed in between: restore that with --until latest",
        MomentText(at_),
        until_.index ? fmt::format("commit {}", until_.index->value()) : ToString(*until_.time)));
  }

  // What can be restored in spite of it.
  Status WithAdvice(const Status& status) const {
    if (status.ok() || !status.is_damage()) return status;
    return Status::Damage(fmt::format("{}; up to there it can be restored with --until-index {}",
                                      status.message(), at_.last.value()));
  }

  const ArchiveFolder& folder_;
  const std::uint64_t run_;
  const RestoreUntil& until_;
  const RecipientKeys* const keys_;
  const ApplyBatches& apply_;
  Moment at_;
  bool has_ended_ = false;
};

Status CheckArchiveRun(const ArchiveFolder& folder, std::uint64_t run) {
  if (run != 0) return {};
  return RefuseMoment(
      "nothing was archived when this backup was made, so that it is restored as it is, "
      "without --until; later commits are missing in " +
      folder.path());
}

}  // namespace

Status CheckArchive(const ArchiveFolder& folder, std::uint64_t run, CommitIndex has,
                    const RestoreUntil& until, const RecipientKeys* keys) {
  WHARF_RETURN_IF_ERROR(CheckArchiveRun(folder, run));
  const ApplyBatches nothing = [](const ArchivedBatches& /*batches*/) { return Status(); };
  return MomentWalk(folder, run, {has, Timestamp::min()}, until, keys, nothing).Do().status();
}

Result<Moment> RollForward(RocksStore& store, const AppliedIndexRow& row,
                           const ArchiveFolder& folder, std::uint64_t run, const Moment& begin,
                           const RestoreUntil& until, const RecipientKeys& keys) {
  WHARF_RETURN_IF_ERROR(CheckArchiveRun(folder, run));
  const ApplyBatches apply = [&store, &row](const ArchivedBatches& each) -> Status {
    std::array<WriteBatch, 2> batches{WriteBatch(std::string(each.bytes)), WriteBatch()};
    WHARF_RETURN_IF_ERROR(batches[0].Check(store.tables()));
    row.Put(each.last, batches[1]);
    return store.Write(batches, RocksStore::Sync::kNo);
  };
  return MomentWalk(folder, run, begin, until, &keys, apply).Do();
}

}  // namespace wharf
