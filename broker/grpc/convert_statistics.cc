// What the broker has done.

#include "broker/grpc/convert.h"

namespace wharf {

void ToProto(const BrokerStatistics& statistics, v1::BrokerStatistics* proto) {
  const ShardStatistics& shard = statistics.shard;
  proto->set_version(statistics.version);
  ToProto(statistics.started_at, proto->mutable_started_at());
  proto->set_entity_count(shard.entities);
  proto->set_sent_message_count(shard.messages_sent);
  proto->set_delivered_message_count(shard.messages_delivered);
  proto->set_settled_message_count(shard.messages_settled);
  proto->set_turn_count(shard.turns);
  proto->set_change_count(shard.changes);
  proto->set_commit_count(static_cast<std::int64_t>(statistics.commits));
  proto->set_sync_count(static_cast<std::int64_t>(statistics.syncs));
  proto->set_synced_bytes(static_cast<std::int64_t>(statistics.synced_bytes));
}

}  // namespace wharf
