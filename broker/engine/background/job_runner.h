// JobRunner: carries out jobs in bounded steps: redrive and deleting by selection (JOB-1).
//
// A step reads a few messages of the lane, and a later turn moves or deletes those that are
// selected; how far the job came is part of the same commit, so that it goes on from there after a
// crash. Owned by the Shard, used on its thread.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "absl/container/btree_set.h"
#include "broker/core/changes/watch.h"
#include "broker/core/operations/asker.h"
#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/sending/disk_room.h"
#include "broker/engine/turn/registrations.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/reading/peek_reader.h"
#include "broker/topics/topics.h"
#include "storage/base/random.h"

namespace wharf {

class JobRunner final : public TimedWorker {
 public:
  // What was known when the broker started: `jobs`, and which number the next one has.
  struct Known {
    std::vector<JobRecord> jobs;
    JobId next_id;
  };

  JobRunner(const WorkerContext& context, const EntityFinder& finder, const Topics& topics,
            DiskRoom disk, Random& random, Known known);

  // Goes on with what was under way.
  void Start(Turn& turn);

  // Checks the order and begins.
  Result<JobRecord> Begin(JobOrder order, Turn& turn, const Asker& asker = {});
  // Nobody hears of a job that is not theirs, here and below.
  Result<JobRecord> Get(JobId id, const Asker& asker = {}) const;
  // All that are known, newest last, after `after`.
  std::vector<JobRecord> List(JobId after, std::size_t count_max, const Asker& asker = {}) const;
  // Those that run and will come to a message of that number yet.
  std::vector<JobId> Awaited(LaneId lane, SequenceNumber number, const Asker& asker) const;
  // What it has done stays done. A job that has ended stays as it is.
  Result<JobRecord> Cancel(JobId id, Turn& turn, const Asker& asker = {});

  // Steps that waited for their time, and finished jobs whose time is over.
  void PlanDue(Turn& turn) override;
  Timestamp next_deadline() const override;

 private:
  // A job that runs, or has ended and is still told of.
  struct Job {
    JobRecord record;
    // A step of it is being read.
    bool is_reading = false;
    // That of its selection, made ready once in each life of the broker; null: none, or it has
    // ended.
    std::shared_ptr<const SqlFilter> filter{};
  };

  Status CheckOrder(const JobOrder& order) const;
  // Of a redrive; empty: the source.
  Status CheckTarget(const Queue& source, const std::string& name) const;
  void Resume(Job& job, Turn& turn);
  void Step(JobId id, Turn& turn);
  void Take(JobId id, const Shelf& shelf, Result<ScanPage> page, const PageWatch& watch,
            Turn& turn);
  void Handle(JobRecord& record, const FoundMessage& found, Turn& turn);
  Status Do(const JobRecord& record, const FoundMessage& found, Turn& turn);
  void End(Job& job, JobState state, Turn& turn);
  void EndWithItsEntity(Job& job, Turn& turn);
  std::size_t StepMax(const JobRecord& record) const;
  // What it moves at most at one go: a message to a topic has copies and meets rules.
  std::size_t FittingOf(const JobRecord& record) const;
  // The disk has no room for what it stores.
  bool MustWait(const JobRecord& record) const;
  void WakeAt(Timestamp time, JobId id) { alarms_.emplace(time, id); }

  const WorkerContext context_;
  const EntityFinder& finder_;
  const Topics& topics_;
  const DiskRoom disk_;
  Random& random_;
  JobId next_id_;
  std::map<JobId, Job> jobs_;
  absl::btree_set<std::pair<Timestamp, JobId>> alarms_;
};

}  // namespace wharf
