// What an operator asks: queues, purges, jobs, the clock.

#include <algorithm>
#include <utility>

#include "broker/engine/broker.h"
#include "broker/engine/reply.h"

namespace wharf {

QueueSnapshot Broker::SnapshotOf(const Queue& queue) {
  return {queue.record(), queue.lane(LaneKind::kMain).counters(),
          queue.lane(LaneKind::kDeadLetter).counters()};
}

void Broker::CreateQueue(QueueDescription description, Answer<QueueSnapshot> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, description = std::move(description), answer = std::move(answer)](Turn& turn) mutable {
        Result<Queue*> queue = shard_.CreateQueue(std::move(description), turn);
        if (!queue.ok())
          return Reply(turn, std::move(answer), Result<QueueSnapshot>(queue.status()));
        Reply(turn, std::move(answer), Result<QueueSnapshot>(SnapshotOf(**queue)));
      },
      1);
}

void Broker::UpdateQueue(QueueDescription description, Answer<QueueSnapshot> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, description = std::move(description), answer = std::move(answer)](Turn& turn) mutable {
        Result<Queue*> queue = shard_.UpdateQueue(std::move(description), turn);
        if (!queue.ok())
          return Reply(turn, std::move(answer), Result<QueueSnapshot>(queue.status()));
        Reply(turn, std::move(answer), Result<QueueSnapshot>(SnapshotOf(**queue)));
      },
      1);
}

void Broker::GetQueue(std::string name, Answer<QueueSnapshot> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, name = std::move(name), answer = std::move(answer)](Turn& turn) mutable {
        Result<Shard::Target> target = shard_.ResolveEntity(name);
        if (!target.ok()) {
          return Reply(turn, std::move(answer), Result<QueueSnapshot>(target.status()));
        }
        Reply(turn, std::move(answer), Result<QueueSnapshot>(SnapshotOf(*target->queue)));
      },
      1);
}

void Broker::ListQueues(std::string after, std::size_t count_max, Answer<QueuePage> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, after = std::move(after), count_max, answer = std::move(answer)](Turn& turn) mutable {
        QueuePage page;
        const auto queues = shard_.catalog().List(after, count_max + 1);
        page.has_more = queues.size() > count_max;
        for (std::size_t i = 0; i < std::min(queues.size(), count_max); ++i) {
          page.queues.push_back(SnapshotOf(*queues[i]));
        }
        Reply(turn, std::move(answer), Result<QueuePage>(std::move(page)));
      },
      1);
}

void Broker::DeleteQueue(std::string name, Answer<std::monostate> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, name = std::move(name), answer = std::move(answer)](Turn& turn) mutable {
        Status deleted = shard_.DeleteQueue(name, turn);
        Reply(turn, std::move(answer),
              deleted.ok() ? Result<std::monostate>(std::monostate())
                           : Result<std::monostate>(std::move(deleted)));
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
