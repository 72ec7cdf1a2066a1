// StatePosition: up to where in the log of its node a state is, and who the members were then.
//
// It is in the same write as what the entries up to there did, and always at the end of a whole
// batch: so a state says of itself which entries it has, and none is ever applied twice. Its record
// is
//
//   version (1) · index (8, big-endian) · term (8, big-endian) · members
//
// Used by whoever applies entries, and by RocksStore.
#pragma once

#include <cstdint>
#include <string>

#include "storage/store.h"
#include "storage/write_batch.h"

namespace wharf {

struct StatePosition {
  std::uint64_t index = 0;  // The last entry that was applied.
  std::uint64_t term = 0;   // Its term.
  // The configuration at this index, in the words of the consensus.
  std::string members{};

  friend bool operator==(const StatePosition&, const StatePosition&) = default;
};

struct StatePositionRow {
  TableId table = 0;
  std::string key = "state-position";

  // Before all entries, if there is no row yet.
  Result<StatePosition> Read(const Store& store) const;
  void Put(const StatePosition& position, WriteBatch& batch) const;

  // Of a record that is known already.
  Result<StatePosition> Decode(std::string_view record) const;
};

}  // namespace wharf
