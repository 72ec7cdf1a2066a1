#include "broker/engine/entities/recounts.h"

#include <utility>
#include <vector>

#include <fmt/core.h>

#include "broker/engine/requests/reply.h"
#include "broker/schema/loader.h"

namespace wharf {
namespace {

// Rows that one step reads.
constexpr std::size_t kRowsPerStep = 4096;
// Those that one step of a repair may change.
constexpr std::size_t kMendedPerStep = 1024;

}  // namespace

struct Recounts::Run {
  EntityRecord record;
  bool repairs;
  Answer<RecountReport> answer;
  Recount recount;
  // Of a check; all of its steps see the same.
  std::shared_ptr<const StoreView> view{};
  // Of the check that a repair begins with.
  RecountReport report{};
};

void Recounts::Begin(const Queue& queue, bool repairs, Answer<RecountReport> answer, Turn& turn) {
  const EntityRecord& record = queue.record();
  const bool is_busy = under_way_.size() >= kUnderWayMax || under_way_.contains(record.id);
  if (is_busy) {
    return Reply(turn, std::move(answer),
                 Result<RecountReport>(Status(
                     ErrorCode::kServiceBusy,
                     fmt::format("{} entities are being checked already; try again when one of "
                                 "them is done",
                                 under_way_.size()))));
  }
  under_way_.insert(record.id);
  Compare(std::make_shared<Run>(Run{record, repairs, std::move(answer), Recount(record, turn.now)}),
          turn);
}

void Recounts::Compare(RunPtr run, Turn& turn) {
  context_.reads.ReadAfter(
      turn, Urgency::kBackground, [this, run = std::move(run)](const StoreView&) mutable -> Task {
        if (run->view == nullptr) run->view = readers_.View();
        Result<bool> is_done = run->recount.Step(*run->view, kRowsPerStep, nullptr);
        if (!is_done.ok() || *is_done) run->view = nullptr;
        return [this, run = std::move(run), is_done](Turn& later) mutable {
          TakeCompared(std::move(run), is_done, later);
        };
      });
}

void Recounts::TakeCompared(RunPtr run, const Result<bool>& is_done, Turn& turn) {
  Queue* const queue = GoOn(*run, is_done.status(), turn);
  if (queue == nullptr) return;
  if (!*is_done) return Compare(std::move(run), turn);
  run->report = run->recount.Report();
  run->report.fence = queue->fence();
  const bool is_whole = run->report.differences.empty() && !queue->is_fenced();
  if (!run->repairs || is_whole) return End(*run, run->report, turn);
  if (!queue->is_fenced()) {
    const RecountDifference& first = run->report.differences.front();
    fences_.Fence(*queue,
                  fmt::format("{} is {}, and should be {}", first.what, first.counted, first.found),
                  turn);
  }
  run->recount = Recount(run->record, turn.now);
  Mend(std::move(run), turn);
}

void Recounts::Mend(RunPtr run, Turn& turn) {
  context_.reads.ReadAfter(turn, Urgency::kBackground,
                           [this, run = std::move(run)](const StoreView& view) mutable -> Task {
                             std::vector<RowsMended> mends;
                             const Result<bool> is_done =
                                 run->recount.Step(view, kMendedPerStep, &mends);
                             return [this, run = std::move(run), is_done,
                                     mends = std::move(mends)](Turn& later) mutable {
                               TakeMended(std::move(run), is_done, std::move(mends), later);
                             };
                           });
}

void Recounts::TakeMended(RunPtr run, const Result<bool>& is_done, std::vector<RowsMended> mends,
                          Turn& turn) {
  if (GoOn(*run, is_done.status(), turn) == nullptr) return;
  for (RowsMended& each : mends) turn.changes.push_back(std::move(each));
  if (!*is_done) return Mend(std::move(run), turn);
  const EntityId id = run->record.id;
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    turn.changes.push_back(CountersChanged{{id, kind}, run->recount.CountersOf(kind)});
  }
  Load(std::move(run), turn);
}

void Recounts::Load(RunPtr run, Turn& turn) {
  context_.reads.ReadAfter(turn, Urgency::kBackground,
                           [this, run = std::move(run)](const StoreView& view) mutable -> Task {
                             Result<Queue::Image> image = LoadQueue(view, run->record);
                             return [this, run = std::move(run),
                                     image = std::move(image)](Turn& later) mutable {
                               TakeLoaded(std::move(run), std::move(image), later);
                             };
                           });
}

void Recounts::TakeLoaded(RunPtr run, Result<Queue::Image> image, Turn& turn) {
  Queue* const queue = GoOn(*run, image.status(), turn);
  if (queue == nullptr) return;
  fences_.Lift(*queue, *std::move(image), turn);
  run->report.fence = queue->fence();
  run->report.is_repaired = !queue->is_fenced();
  End(*run, run->report, turn);
}

Queue* Recounts::GoOn(Run& run, const Status& read, Turn& turn) {
  Queue* const queue = context_.catalog.FindKnown(run.record.id);
  Status stopped = context_.open.Check();
  if (stopped.ok() && queue == nullptr) stopped = context_.catalog.WhyGone(run.record.id);
  if (stopped.ok()) stopped = read;
  if (stopped.ok()) return queue;
  End(run, stopped, turn);
  return nullptr;
}

void Recounts::End(Run& run, Result<RecountReport> result, Turn& turn) {
  under_way_.erase(run.record.id);
  Reply(turn, std::move(run.answer), std::move(result));
}

}  // namespace wharf
