// Loads what the broker keeps in memory: the catalog, the counters and the locks, never the
// messages.
//
// Called on the main thread before a leadership begins: the shard starts with what it brings.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/entities/catalog.h"
#include "broker/schema/event_record.h"
#include "storage/store.h"

namespace wharf {

// A message that was locked, by a lock that cannot be read: nobody holds it any more.
struct LostLock {
  Shelf shelf;
  UnreadableMessage message;
};

// Where the event log of an entity ends; nothing: its head cannot be read.
struct EventLogImage {
  EntityId entity;
  std::optional<EventLogHead> head;
};

struct BrokerImage {
  Catalog::Image catalog;
  // What is left of deleted entities, purged lanes and purged schedules, still to be reclaimed.
  std::vector<EntityId> entities_to_reclaim;
  std::vector<Shelf> shelves_to_reclaim;
  std::vector<EntityId> schedules_to_reclaim;
  std::vector<JobRecord> jobs;
  // Why entities were fenced before, in the order of their rows.
  std::map<EntityId, std::string> fences;
  JobId next_job_id{1};
  // Broker time of the last commit.
  Timestamp last_committed;
  // Of each bucket that ever had an entity; in the others is no hint.
  std::vector<DueHandled> due_handled;
  // Transactions that were open when the broker ended; what they were to do is forgotten.
  std::vector<TransactionRecord> open_transactions;
  // Bodies that no message names: nobody sends or receives them any more.
  std::vector<BodyRef> loose_bodies;
  // Buckets with bodies of which copies went, not looked at since: there may be any number of them.
  std::vector<Bucket> buckets_with_released_bodies;
  // Of all subscriptions.
  std::vector<RuleAdded> rules;
  std::vector<LostLock> lost_locks;
  // Of the namespace and of all entities.
  std::vector<AccessRuleSet> access_rules;
  // Of all entities that have one.
  std::vector<EventLogImage> event_logs;
  // The first of them was made, and its file may not be there yet.
  bool is_root_file_due = false;
};

struct FolderState {
  // No broker has used this folder before; it must be given EncodeFormat first.
  bool is_new = false;
  // Of what there is; 0 if it is new.
  std::uint64_t format = 0;
  // One of an older format has; before anything is written it must be given EncodeFormat, so that
  // an older broker refuses it from then on.
  bool is_older = false;
  // Broker time of the last commit; the epoch if there was none.
  Timestamp last_committed;
};

// What has to be known before anything is decided; an error if the folder is of a format that
// is not read.
// `folder` is what it is called in that sentence.
Result<FolderState> LoadFolderState(const Store& store, std::string_view folder);

Result<BrokerImage> LoadBroker(const Store& store);

// One entity, which was fenced before if `fence` is not empty. Fails only if the store does: rows
// of it that do not agree with each other are why it is fenced, and then it has no more of them in
// memory than its counters, if these can be read.
Result<Queue::Image> LoadQueue(const StoreView& view, EntityRecord record, std::string fence = {});
// To be put into quarantine as soon as the entity is in use.
std::vector<LostLock> TakeLostLocks(Queue::Image& queue);

}  // namespace wharf
