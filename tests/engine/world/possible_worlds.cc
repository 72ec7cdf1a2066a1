#include "tests/engine/world/possible_worlds.h"

#include <algorithm>
#include <utility>

namespace wharf {
namespace {

// Adds it unless it is known.
template <typename World>
void Add(std::vector<World>& worlds, World world) {
  if (std::find(worlds.begin(), worlds.end(), world) == worlds.end()) {
    worlds.push_back(std::move(world));
  }
}

// A world, and which of several events are still to come.
using Unfolding = std::pair<WorldModel, std::vector<std::size_t>>;

}  // namespace

bool PossibleWorlds::IsTooMuch(std::size_t count) {
  is_lost_ = is_lost_ || count > kWorldsMax;
  return is_lost_;
}

void PossibleWorlds::Spread(const std::set<std::string>* where) {
  for (std::size_t i = 0; i < worlds_.size() && !IsTooMuch(worlds_.size()); ++i) {
    const std::vector<ModelStep> steps =
        where == nullptr ? worlds_[i].Steps() : worlds_[i].StepsToward(*where);
    for (const ModelStep& step : steps) {
      std::vector<WorldModel> after = worlds_[i].After(step);
      if (IsTooMuch(std::max(after.size(), worlds_.size()))) return;
      for (WorldModel& world : after) Add(worlds_, std::move(world));
    }
  }
}

bool PossibleWorlds::Happened(const Event& event) {
  Spread(&event.where);
  if (is_lost_) return true;
  std::vector<WorldModel> after;
  for (WorldModel world : worlds_) {
    if (event.happens(world)) Add(after, std::move(world));
  }
  if (after.empty()) return false;
  worlds_ = std::move(after);
  return true;
}

void PossibleWorlds::AskedToCommit(const TransactionId& id) {
  for (WorldModel& world : worlds_) world.AskedToCommit(id);
}

void PossibleWorlds::SetTime(Timestamp now) {
  Spread(nullptr);
  std::vector<WorldModel> after;
  for (const WorldModel& world : worlds_) {
    for (WorldModel& begun : world.WithCommitsBegun()) {
      begun.SetTime(now);
      for (WorldModel& ended : begun.WithLateEnds()) Add(after, std::move(ended));
    }
  }
  worlds_ = std::move(after);
}

// What is done by itself and concerns none of the events may as well come after the crash.
void PossibleWorlds::Crash(const std::vector<Event>& events, Timestamp now) {
  std::set<std::string> where;
  std::vector<std::size_t> all;
  for (const Event& event : events) {
    all.push_back(all.size());
    where.insert(event.where.begin(), event.where.end());
  }
  std::vector<Unfolding> unfoldings;
  for (const WorldModel& world : worlds_) unfoldings.emplace_back(world, all);
  for (std::size_t i = 0; i < unfoldings.size() && !IsTooMuch(unfoldings.size()); ++i) {
    const auto [world, left] = unfoldings[i];
    for (const ModelStep& step : world.StepsToward(where)) {
      std::vector<WorldModel> worlds = world.After(step);
      if (IsTooMuch(std::max(worlds.size(), unfoldings.size()))) break;
      for (WorldModel& after : worlds) Add(unfoldings, Unfolding(std::move(after), left));
    }
    for (const std::size_t event : left) {
      Unfolding next(world, left);
      std::erase(next.second, event);
      if (events[event].happens(next.first)) Add(unfoldings, std::move(next));
    }
  }
  worlds_.clear();
  for (auto& [world, left] : unfoldings) {
    // What was open ends by the clock of the new life, which may have gone back.
    world.SetTime(now);
    for (WorldModel& ended : world.WithLateEnds()) {
      ended.Restart();
      ended.NoteEnds();
      Add(worlds_, std::move(ended));
    }
  }
}

void PossibleWorlds::Finish() {
  for (WorldModel& world : worlds_) {
    world.NoteEnds();
    world.PassTimeAlone();
  }
  std::vector<WorldModel> finished;
  for (std::size_t i = 0; i < worlds_.size() && !IsTooMuch(worlds_.size()); ++i) {
    const std::vector<ModelStep> steps = worlds_[i].Steps();
    if (steps.empty()) Add(finished, worlds_[i]);
    for (const ModelStep& step : steps) {
      std::vector<WorldModel> after = worlds_[i].After(step);
      if (IsTooMuch(std::max(after.size(), worlds_.size()))) return;
      for (WorldModel& world : after) {
        world.PassTimeAlone();
        Add(worlds_, std::move(world));
      }
    }
  }
  if (!is_lost_) worlds_ = std::move(finished);
}

std::string PossibleWorlds::Keep(
    const std::function<std::string(const WorldModel& world)>& difference) {
  std::vector<WorldModel> same;
  std::set<std::string> wrong;
  for (const WorldModel& world : worlds_) {
    std::string found = difference(world);
    if (found.empty()) same.push_back(world);
    wrong.insert(std::move(found));
  }
  std::string all;
  for (const std::string& each : wrong) all += each + "\n";
  if (same.empty()) return all;
  worlds_ = std::move(same);
  return "";
}

}  // namespace wharf
