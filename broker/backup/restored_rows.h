// RestoredRows: what a backup becomes another broker by.
//
// The broker that it was made of may have gone on: it gave numbers and locks that the backup does
// not know. So every sequence of numbers, of messages as of entities and jobs, goes on at the next
// multiple of 2^32, which no broker reaches in between, and nothing that was given is given again
// (SEQ-2 has no other exception). Who held a message or a session of then knows of another broker:
// locks end, without counting (CNT-1), and open transactions are rolled back. What was remembered
// of transactions that ended may have come otherwise since, so it is forgotten. Messages keep their
// numbers, counts, schedules and times to live, and message ids stay remembered.
//
// Once, on a folder that no broker has open, on one thread. Takes the memory of a start, and is
// written in bounded batches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "broker/access/access_rule.h"
#include "broker/schema/loader.h"
#include "broker/schema/records.h"
#include "storage/rocks/rocks_store.h"

namespace wharf {

// Where a sequence goes on that would give `next`.
constexpr std::uint64_t RestoredNext(std::uint64_t next) {
  constexpr int kLeapBits = 32;
  return ((next >> kLeapBits) + 1) << kLeapBits;
}

class RestoredRows {
 public:
  // A rule of access with keys that nobody knew before.
  struct NewKeys {
    // Of what it is; empty: the namespace.
    std::string entity_path{};
    access::AccessRule rule{};
  };
  struct Report {
    std::uint64_t entities = 0;
    std::uint64_t ended_locks = 0;
    std::uint64_t ended_sessions = 0;
    std::uint64_t rolled_back = 0;
    std::vector<NewKeys> new_keys{};
    // Broker time of the last commit of the backup.
    Timestamp last_committed{};
  };

  explicit RestoredRows(RocksStore& store) : store_(store) {}

  // Null: the keys stay.
  Result<Report> Rewrite(const access::KeySource* new_keys);

 private:
  Status LeapIds(const StoreView& view);
  Status ForgetTransactions(const StoreView& view);
  Status RewriteEntities(const StoreView& view, const access::KeySource* new_keys);
  Status RewriteEntity(const StoreView& view, EntityRecord record, const std::string& fence);
  // Where its rows contradict each other: a recount needs to know what was given, and does the
  // rest.
  Status LeapNumbers(const StoreView& view, const EntityRecord& record);
  Status EndLocks(const Shelf& shelf, Lane::Image& lane);
  Status EndSessions(const StoreView& view, const Shelf& shelf, const Lane::Image& lane);
  Status PutCounters(const LaneId& lane, LaneCounters counters);
  Status RenewKeys(const StoreView& view, const std::map<EntityId, std::string>& paths,
                   const access::KeySource& keys);
  // Whether its rules may remember what keys they had.
  bool keeps_replaced_keys() const { return format_ >= kReplacedKeysFormat; }
  Status Commit(const WriteBatch& batch);

  RocksStore& store_;
  // Of the folder that the backup was made of.
  std::uint64_t format_ = 0;
  Report report_;
};

}  // namespace wharf
