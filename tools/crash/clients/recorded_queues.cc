// The calls of RecordedClient that make, change, delete and list queues.

#include <absl/strings/numbers.h>

#include "tools/crash/clients/recorded_client.h"

namespace wharf::crash {

v1::QueueProperties RecordedClient::Properties(QueueIndex index, std::uint64_t version) {
  const QueueRecord queue = recorder_.queue(index);
  v1::QueueProperties properties;
  properties.set_name(queue.name);
  SetDuration(queue.lock_duration, properties.mutable_lock_duration());
  properties.set_max_delivery_count(static_cast<std::int32_t>(queue.max_delivery_count));
  properties.set_max_message_size_in_kilobytes(queue.message_kilobytes_max);
  properties.set_requires_duplicate_detection(queue.drops_duplicates);
  properties.set_requires_session(queue.requires_session);
  if (queue.forwards_to) {
    properties.set_forward_to(recorder_.queue(*queue.forwards_to).name);
  }
  if (queue.time_to_live > Duration(0)) {
    SetDuration(queue.time_to_live, properties.mutable_default_message_time_to_live());
    properties.set_dead_lettering_on_message_expiration(!queue.expires_to_nothing);
  }
  properties.set_user_metadata(std::to_string(version));
  return properties;
}

Status RecordedClient::CreateQueue(QueueIndex queue) {
  return Change(queue, QueueVerb::kCreate, 0);
}

Status RecordedClient::UpdateQueue(QueueIndex queue, std::uint64_t version) {
  return Change(queue, QueueVerb::kUpdate, version);
}

Status RecordedClient::DeleteQueue(QueueIndex queue) {
  return Change(queue, QueueVerb::kDelete, 0);
}

Status RecordedClient::LookAtQueue(QueueIndex queue) { return Change(queue, QueueVerb::kLook, 0); }

Status RecordedClient::Change(QueueIndex queue, QueueVerb verb, std::uint64_t version) {
  QueueChange change;
  change.queue = queue;
  change.verb = verb;
  change.version = version;
  recorder_.Begin(change);
  Status status = Execute(change);
  recorder_.End(change, status);
  recorder_.Add(change);
  if (status.ok()) progress_.NoteAcknowledged();
  return status;
}

Status RecordedClient::Execute(QueueChange& change) {
  client::Management& management = client_.management();
  const v1::QueueProperties properties = Properties(change.queue, change.version);
  switch (change.verb) {
    case QueueVerb::kCreate:
      return management.CreateQueue(properties).status();
    case QueueVerb::kUpdate:
      return management.ReplaceQueue(properties).status();
    case QueueVerb::kDelete:
      return management.DeleteQueue(properties.name());
    case QueueVerb::kLook:
      break;
  }
  const Result<v1::QueueProperties> found = management.GetQueue(properties.name());
  if (!found.ok()) return found.status();
  if (absl::SimpleAtoi(found->user_metadata(), &change.version)) return {};
  return {ErrorCode::kGeneralError, "the queue's metadata is not what was written"};
}

Status RecordedClient::ListQueues() {
  QueueListRecord list;
  list.begin = recorder_.Now();
  std::string page_token;
  do {
    const Result<v1::ListQueuesResponse> page = client_.management().ListQueues(page_token);
    if (!page.ok()) return page.status();
    for (const v1::QueueProperties& queue : page->queues()) list.names.push_back(queue.name());
    page_token = page->next_page_token();
  } while (!page_token.empty());
  recorder_.Add(list);
  return {};
}

}  // namespace wharf::crash
