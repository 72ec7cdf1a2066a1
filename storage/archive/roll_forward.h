// RollForward: what was committed behind a backup, up to a moment, from an archive.
//
// Either all of that is there or it is an error that says so: a hole, damage, an archive that ends
// before the moment or begins behind the backup. Plain functions, on one thread; one block is in
// memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "storage/applied_index_row.h"
#include "storage/archive/archive_folder.h"
#include "storage/base/status.h"
#include "storage/base/time.h"
#include "storage/rocks/rocks_store.h"
#include "storage/sealed/recipient.h"

namespace wharf {

struct RestoreUntil {
  // With this commit, and those of this broker time; neither: with all that the archive has.
  std::optional<CommitIndex> index{};
  std::optional<Timestamp> time{};
};

// How far a store is: the commit, and its broker time.
struct Moment {
  CommitIndex last{};
  Timestamp time{};
};

// Reads all that is needed to roll a backup forward that has this at least; changes nothing. Null:
// of what is encrypted only the checksums of blocks are looked at, and whether none is missing.
Status CheckArchive(const ArchiveFolder& folder, std::uint64_t run, CommitIndex has,
                    const RestoreUntil& until, const RecipientKeys* keys = nullptr);
// Of a store that nobody else has open, and that is as far as `begin` says: how far it is then.
// After an error it is of no use.
Result<Moment> RollForward(RocksStore& store, const AppliedIndexRow& row,
                           const ArchiveFolder& folder, std::uint64_t run, const Moment& begin,
                           const RestoreUntil& until, const RecipientKeys& keys = {});

}  // namespace wharf
