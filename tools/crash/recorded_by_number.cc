// The calls of RecordedClient that name messages by their numbers.

#include "tools/crash/recorded_client.h"

namespace wharf::crash {

Status RecordedClient::Cancel(QueueIndex queue, const MessageId& id, std::int64_t number) {
  v1::CancelScheduledMessagesRequest request;
  request.set_entity_path(PathOf({.queue = queue}));
  request.add_sequence_numbers(number);
  CancelRecord cancel;
  cancel.queue = queue;
  cancel.id = id;
  recorder_.Begin(cancel);
  Status status = client_.CancelScheduledMessages(request).status();
  recorder_.End(cancel, status);
  recorder_.Add(cancel);
  if (!status.ok()) return status;
  progress_.NoteGone(1);
  progress_.NoteAcknowledged();
  return status;
}

}  // namespace wharf::crash
