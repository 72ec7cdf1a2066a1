#include "broker/engine/requests/deepest_pass.h"

#include <algorithm>

#include <fmt/core.h>

namespace wharf {
namespace {

// Messages that one step counts.
constexpr std::size_t kCountedRowsPerStep = 50000;

Status TooMany() {
  return {ErrorCode::kServiceBusy,
          fmt::format("the deepest sessions of {} entities are looked for already; try again later",
                      DeepestPass::kPassesMax)};
}

}  // namespace

void DeepestPass::Ask(const Queue& queue, Told told, Turn& turn) {
  const EntityId entity = queue.id();
  const bool is_new = !passes_.contains(entity);
  if (is_new && passes_.size() >= kPassesMax) {
    return turn.Tell([told = std::move(told)](const Status& committed) mutable {
      std::move(told)(Result<DeepestSessions>(committed.ok() ? TooMany() : committed));
    });
  }
  if (is_new) Begin(queue, turn);
  passes_.at(entity)->asking.push_back(std::move(told));
}

void DeepestPass::Begin(const Queue& queue, Turn& turn) {
  const EntityId entity = queue.id();
  auto pass = std::make_unique<Pass>();
  pass->shelf = queue.lane(LaneKind::kMain).shelf();
  pass->deepest.as_of = turn.now;
  passes_.emplace(entity, std::move(pass));
  Step(entity, turn);
}

void DeepestPass::Step(EntityId entity, Turn& turn) {
  const Pass& pass = *passes_.at(entity);
  context_.reads.ReadAfter(
      turn, Urgency::kBackground,
      [this, entity, shelf = pass.shelf, next = pass.next](const StoreView& view) -> Task {
        return [this, entity, page = ReadSessionDepths(view, shelf, next, kCountedRowsPerStep)](
                   Turn& later) mutable { Take(entity, std::move(page), later); };
      });
}

void DeepestPass::Take(EntityId entity, Result<DepthPage> page, Turn& turn) {
  Pass& pass = *passes_.at(entity);
  if (!page.ok()) return Finish(entity, page.status(), turn);
  if (Status closed = context_.open.Check(); !closed.ok()) return Finish(entity, closed, turn);
  for (SessionDepth& depth : page->depths) {
    if (pass.unfinished && pass.unfinished->session == depth.session) {
      pass.unfinished->messages += depth.messages;
      continue;
    }
    if (pass.unfinished) Note(pass.deepest, *std::move(pass.unfinished));
    pass.unfinished = std::move(depth);
  }
  pass.next = std::move(page->next);
  if (pass.next) return Step(entity, turn);
  if (pass.unfinished) Note(pass.deepest, *std::move(pass.unfinished));
  Finish(entity, Status::Ok(), turn);
}

// Of sessions with as many messages the first by id comes first.
void DeepestPass::Note(DeepestSessions& deepest, SessionDepth depth) {
  auto& sessions = deepest.sessions;
  const auto place = std::upper_bound(
      sessions.begin(), sessions.end(), depth.messages,
      [](std::int64_t messages, const SessionDepth& other) { return messages > other.messages; });
  sessions.insert(place, std::move(depth));
  if (sessions.size() > kSessionsMax) sessions.pop_back();
}

void DeepestPass::Finish(EntityId entity, const Status& status, Turn& turn) {
  const std::unique_ptr<Pass> pass = std::move(passes_.extract(entity).mapped());
  turn.Tell([asking = std::move(pass->asking), deepest = std::move(pass->deepest),
             status](const Status& committed) mutable {
    const Status failed = committed.ok() ? status : committed;
    const Result<DeepestSessions> result =
        failed.ok() ? Result<DeepestSessions>(std::move(deepest)) : Result<DeepestSessions>(failed);
    for (Told& told : asking) std::move(told)(result);
  });
}

}  // namespace wharf
