// What an operator asks: queues and topics, purges, jobs, the clock.

#include <algorithm>
#include <utility>

#include "broker/engine/broker.h"
#include "broker/engine/reply.h"

namespace wharf {

QueueSnapshot Broker::SnapshotOf(const Queue& queue) const {
  const Topic* topic = shard_.topics().Find(queue.record().id);
  return {queue.record(), queue.lane(LaneKind::kMain).counters(),
          queue.lane(LaneKind::kDeadLetter).counters(),
          topic == nullptr ? 0 : topic->subscriptions().size(), queue.bytes()};
}

Result<QueueSnapshot> Broker::SnapshotOf(const Result<Queue*>& queue) const {
  if (!queue.ok()) return queue.status();
  return SnapshotOf(**queue);
}

void Broker::Create(EntityKind kind, QueueDescription description, Answer<QueueSnapshot> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, kind, description = std::move(description),
       answer = std::move(answer)](Turn& turn) mutable {
        Result<Queue*> queue =
            shard_.CreateEntity(kind, std::move(description), std::nullopt, turn);
        Reply(turn, std::move(answer), SnapshotOf(queue));
      },
      1);
}

void Broker::Update(EntityKind kind, std::string path, EntityEdit edit,
                    Answer<QueueSnapshot> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, kind, path = std::move(path), edit = std::move(edit),
       answer = std::move(answer)](Turn& turn) mutable {
        Result<Queue*> queue = shard_.UpdateEntity(kind, path, std::move(edit), turn);
        Reply(turn, std::move(answer), SnapshotOf(queue));
      },
      1);
}

void Broker::Get(EntityKind kind, std::string name, Answer<QueueSnapshot> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, kind, name = std::move(name), answer = std::move(answer)](Turn& turn) mutable {
        const Status closed = shard_.CheckOpen();
        Reply(turn, std::move(answer),
              SnapshotOf(closed.ok() ? shard_.catalog().Find(kind, name) : Result<Queue*>(closed)));
      },
      1);
}

void Broker::List(EntityKind kind, std::string after, std::size_t count_max,
                  Answer<QueuePage> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, kind, after = std::move(after), count_max,
       answer = std::move(answer)](Turn& turn) mutable {
        Reply(turn, std::move(answer),
              Result<QueuePage>(
                  PageOf(shard_.catalog().List(kind, after, count_max + 1), count_max)));
      },
      1);
}

QueuePage Broker::PageOf(const std::vector<const Queue*>& queues, std::size_t count_max) const {
  QueuePage page;
  page.has_more = queues.size() > count_max;
  for (std::size_t i = 0; i < std::min(queues.size(), count_max); ++i) {
    page.queues.push_back(SnapshotOf(*queues[i]));
  }
  return page;
}

void Broker::Delete(EntityKind kind, std::string name, Answer<std::monostate> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, kind, name = std::move(name), answer = std::move(answer)](Turn& turn) mutable {
        Reply(turn, std::move(answer), Done(shard_.DeleteEntity(kind, name, turn)));
      },
      1);
}

void Broker::Purge(std::string path, bool with_scheduled, Answer<std::int64_t> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, path = std::move(path), with_scheduled,
       answer = std::move(answer)](Turn& turn) mutable {
        const Result<Shard::Target> target = shard_.Resolve(path);
        Reply(turn, std::move(answer),
              target.ok() ? shard_.PurgeQueue(*target, with_scheduled, turn)
                          : Result<std::int64_t>(target.status()));
      },
      1);
}

void Broker::BeginJob(JobOrder order, Answer<JobRecord> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, order = std::move(order), answer = std::move(answer)](Turn& turn) mutable {
        Reply(turn, std::move(answer), shard_.jobs().Begin(std::move(order), turn));
      },
      1);
}

void Broker::GetJob(JobId id, Answer<JobRecord> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post([this, id, answer = std::move(answer)](
                  Turn& turn) mutable { Reply(turn, std::move(answer), shard_.jobs().Get(id)); },
              1);
}

void Broker::ListJobs(JobId after, std::size_t count_max, Answer<std::vector<JobRecord>> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, after, count_max, answer = std::move(answer)](Turn& turn) mutable {
        Reply(turn, std::move(answer),
              Result<std::vector<JobRecord>>(shard_.jobs().List(after, count_max)));
      },
      1);
}

void Broker::CancelJob(JobId id, Answer<JobRecord> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, id, answer = std::move(answer)](Turn& turn) mutable {
        Reply(turn, std::move(answer), shard_.jobs().Cancel(id, turn));
      },
      1);
}

void Broker::AwaitDue(Answer<Timestamp> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, answer = std::move(answer)](Turn&) mutable {
        shard_.AwaitDue([answer = std::move(answer)](Turn& turn) mutable {
          turn.keeps_time = true;
          Reply(turn, std::move(answer), Result<Timestamp>(turn.now));
        });
      },
      1);
}

}  // namespace wharf
