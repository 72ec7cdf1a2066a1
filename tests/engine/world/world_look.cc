// Everything there is, compared when all is quiet: what a peek shows, who holds what, what jobs
// have done, and the rows behind it.

#include <algorithm>
#include <map>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/engine/model/model_look.h"
#include "tests/engine/world/world_receiver.h"
#include "tests/harness/broker_accounts.h"

namespace wharf {
namespace {

std::string StateOf(const ModelMessage& message) {
  if (message.token) return "locked";
  if (message.is_deferred) return "deferred";
  return message.available_at ? "delayed" : "available";
}

std::string MessageDifference(const LaneLook& look, std::uint64_t number,
                              const ModelMessage& expected) {
  const auto peeked = look.messages.find(number);
  if (peeked == look.messages.end()) {
    return fmt::format("'{:.8}' is not there; it should be {}", expected.body, StateOf(expected));
  }
  const auto& [message, delivery, standing, available_at, is_scheduled, unreadable] =
      peeked->second;
  std::string wrong = DifferenceOf(*message, delivery, expected);
  if (!unreadable.empty()) wrong += "it cannot be read";
  if (available_at != expected.available_at.value_or(kNever)) wrong += "it rests for another time";
  if ((standing == Standing::kDeferred) != (expected.is_deferred && !expected.token)) {
    wrong += "it is deferred, or should be";
  }
  const auto lock = look.locks.find(number);
  if ((lock != look.locks.end()) != expected.token.has_value()) {
    wrong += "it is locked, or should be";
  } else if (expected.token &&
             (lock->second.token != *expected.token || lock->second.until != expected.until)) {
    wrong += "somebody else holds it, or for another time";
  }
  return wrong;
}

std::string LaneDifference(const LaneLook& look, const ModelQueue::Lane& expected) {
  for (const auto& [number, message] : expected) {
    const std::string wrong = MessageDifference(look, number, message);
    if (!wrong.empty()) return fmt::format("message {}: {}", number, wrong);
  }
  for (const auto& [number, peeked] : look.messages) {
    if (!expected.contains(number)) return fmt::format("message {} should not be there", number);
  }
  return "";
}

std::string ScheduledDifference(const LaneLook& look,
                                const std::map<std::uint64_t, ModelScheduled>& expected) {
  const bool is_same =
      std::equal(look.scheduled.begin(), look.scheduled.end(), expected.begin(), expected.end(),
                 [](const auto& a, const auto& b) {
                   return a.first == b.first &&
                          a.second.message->message.scheduled_enqueue_time == b.second.time &&
                          a.second.message->message.body == b.second.message.body;
                 });
  if (is_same) return "";
  return fmt::format("{} messages are scheduled, not {}, or others", look.scheduled.size(),
                     expected.size());
}

// What the broker has, for whoever has to find out.
std::string TextOf(const WorldLook& look) {
  std::string text;
  for (const auto& [name, lanes] : look.entities) {
    for (const auto& [kind, lane] : lanes) {
      text += "  " + ModelPath{name, kind}.text() + ":";
      for (const auto* messages : {&lane.messages, &lane.scheduled}) {
        for (const auto& [number, peeked] : *messages) {
          const Message& message = peeked.message->message;
          text += fmt::format(" {}='{:.8}'({})", number, message.body,
                              message.message_id.value_or("-"));
        }
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace

WorldLook WorldRun::LookAtAll() {
  WorldLook look;
  for (const std::string& name : Names()) {
    if (!engine_.Get(KindOf(name), name).ok()) continue;
    auto& lanes = look.entities[name];
    for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
      // A topic has scheduled messages only.
      LaneLook& lane = lanes[kind];
      const std::string path = ModelPath{name, kind}.text();
      const Result<PeekPage> page = engine_.Peek(path, 0, 4000);
      if (!page.ok()) continue;
      for (const PeekedMessage& peeked : page->messages) {
        (peeked.is_scheduled ? lane.scheduled : lane.messages)[peeked.message->number.value()] =
            peeked;
      }
      const auto locks = engine_.Await<LockPage>([&](Answer<LockPage> answer) {
        engine_.broker().ListLocks(path, {}, 4000, std::move(answer));
      });
      if (!locks.ok()) continue;
      for (const LockInfo& lock : locks->locks) lane.locks.emplace(lock.number.value(), lock);
    }
  }
  const auto jobs = engine_.Await<std::vector<JobRecord>>(
      [&](auto answer) { engine_.broker().ListJobs(JobId(), 1000, std::move(answer)); });
  for (const JobRecord& job : *jobs) look.jobs.emplace(job.id, job);
  return look;
}

std::string WorldRun::Difference(const WorldLook& look, const WorldModel& world) {
  for (const auto& [name, entity] : world.entities()) {
    const auto found = look.entities.find(name);
    if (found == look.entities.end()) return name + " is not there";
    for (const auto& [kind, lane] : found->second) {
      const std::string wrong = LaneDifference(lane, entity.queue->messages(kind));
      if (!wrong.empty()) return ModelPath{name, kind}.text() + ": " + wrong;
    }
    const std::string wrong =
        ScheduledDifference(found->second.at(LaneKind::kMain), entity.queue->scheduled());
    if (!wrong.empty()) return name + ": " + wrong;
  }
  if (look.entities.size() != world.entities().size()) return "an entity is there that should not";
  for (const ModelJob& job : world.jobs()) {
    const auto found = look.jobs.find(job.id);
    if (found == look.jobs.end()) continue;
    if (found->second.done != job.done || found->second.is_running()) {
      return fmt::format("job {} has done {}, not {}", job.id.value(), found->second.done,
                         job.done);
    }
  }
  return "";
}

std::string WorldRun::Starving(const WorldModel& world) const {
  for (const auto& receiver : receivers_) {
    const bool waits = receiver->is_attached() && receiver->credit() > 0;
    if (waits && world.CountAvailable(receiver->path()) > 0) {
      return "a receiver gets nothing from " + receiver->path().text();
    }
  }
  return "";
}

std::vector<PossibleWorlds::Event> WorldRun::TakenUnheard(const WorldLook& look) {
  std::vector<PossibleWorlds::Event> events;
  for (const auto& [name, lanes] : look.entities) {
    for (const auto& [kind, lane] : lanes) {
      for (const auto& [number, lock] : lane.locks) {
        const Held held{{name, kind}, lock.token};
        const auto is_same = [&](const Held& each) { return each.token == held.token; };
        if (std::any_of(held_.begin(), held_.end(), is_same)) continue;
        held_.push_back(held);
        events.push_back({{name}, [held, number = number](WorldModel& world) {
                            return world.Deliver(held.path, number, held.token) ||
                                   world.ReceiveDeferred(held.path, number, held.token);
                          }});
      }
    }
  }
  for (const auto& receiver : receivers_) {
    if (receiver->mode() == ReceiveMode::kPeekLock) continue;
    for (std::uint64_t left = receiver->credit(); left > 0; --left) {
      const ModelPath& path = receiver->path();
      events.push_back({{path.entity}, [path](WorldModel& world) {
                          const ModelQueue* queue = world.Find(path.entity);
                          if (queue == nullptr) return false;
                          const auto next = queue->AllowedNext(path.lane);
                          return !next.empty() && world.Deliver(path, next.front(), std::nullopt);
                        }});
    }
  }
  return events;
}

void WorldRun::CheckAccounts() {
  Finish();
  if (has_failed()) return;
  const WorldLook look = LookAtAll();
  const std::string wrong = worlds_.Keep([&](const WorldModel& world) {
    std::string found = Difference(look, world);
    return found.empty() ? Starving(world) : found;
  });
  EXPECT_EQ(wrong, "") << "in all of " << worlds_.size() << " worlds, after\n"
                       << History() << "there is\n"
                       << TextOf(look);
  EXPECT_EQ(FindWrongAccounts(engine_.store()), "") << "after\n" << History();
  EXPECT_EQ(FindUnwrittenCounters(engine_.store(), engine_.shard().workers().catalog), "");
  EXPECT_EQ(engine_.wrong_turns(), "") << "after\n" << History();
}

}  // namespace wharf
