#include "tools/crash/history/recorder.h"

namespace wharf::crash {

QueueIndex Recorder::AddQueue(QueueRecord queue) {
  MutexLock lock(mutex_);
  history_.queues.push_back(std::move(queue));
  return history_.queues.size() - 1;
}

QueueRecord Recorder::queue(QueueIndex index) {
  MutexLock lock(mutex_);
  return history_.queues[index];
}

SendRecord Recorder::SendTo(QueueIndex index) {
  const std::optional<QueueIndex> target = queue(index).forwards_to;
  SendRecord send;
  send.queue = target.value_or(index);
  if (target) send.via = index;
  return send;
}

}  // namespace wharf::crash
