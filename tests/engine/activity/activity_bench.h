// ActivityBench: a broker with one entity that is deleted when nobody used it for ten minutes, and
// what the verbs of the API need there.
//
// All of it is made at one instant; the verb comes later, and then the bench says when the entity
// goes.
#pragma once

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "tests/harness/engine_harness.h"

namespace wharf {

// Where a verb is called, and which entity goes unless that is a use of it.
enum class Place {
  kQueue,
  kSessions,      // A queue that requires sessions.
  kSubscription,  // Its topic stays for ever.
  kTopicAbove,    // The same, but it is the topic that goes.
  kTopic,
  kDeadLetters,  // The dead-letter queue of a queue, which goes with it.
};
inline constexpr Place kPlaces[] = {Place::kQueue,      Place::kSessions, Place::kSubscription,
                                    Place::kTopicAbove, Place::kTopic,    Place::kDeadLetters};
std::string NameOf(Place place);

enum class Stock {
  kNothing,    // But with sessions one that is held.
  kMessages,   // Four: one is locked, one deferred, two wait.
  kScheduled,  // These, and one that is scheduled, where messages can be sent to.
};

class ActivityBench {
 public:
  static constexpr Duration kIdle = std::chrono::minutes(10);
  static constexpr Duration kLeftAfterStart = std::chrono::minutes(5);
  // Far away from everything.
  static constexpr Timestamp kScheduledFor = kHarnessStart + std::chrono::hours(10000);

  ActivityBench(Place place, Stock stock);

  EngineHarness& engine() { return engine_; }
  Broker& broker() { return engine_.broker(); }

  Place place() const { return place_; }
  // Where the verb is called.
  const std::string& path() const { return path_; }
  std::string dead_letter_path() const;
  // The queue or topic at the path or above it.
  std::string top() const { return path_.substr(0, path_.find('/')); }
  // What there is of the stock; what there is not, under names that nobody knows.
  const LockToken& locked() const { return locked_; }
  std::uint64_t deferred() const { return deferred_; }
  std::uint64_t waiting() const { return waiting_; }
  std::uint64_t scheduled() const { return scheduled_; }
  const std::optional<LockToken>& session() const { return session_; }
  LockToken session_or_none() const { return session_.value_or(LockToken(1, 1)); }
  Message NewMessage() const;

  // As by a crash, and up again days later. Something was committed elsewhere just before, so that
  // the broker knows until when it served (ADI-15).
  void Restart();

  bool IsThere();
  // Whether the entity is deleted when exactly this time has passed, and nobody uses it meanwhile.
  ::testing::AssertionResult GoesIn(Duration span);

 private:
  bool has_subscription() const;
  bool can_send() const;
  void CreateAll();
  void CreateEntities();
  void HoldSession();
  void SendAll();
  void MoveToDeadLetters();
  void Schedule();

  const Place place_;
  EngineHarness engine_;
  // Of the entity that goes.
  EntityKind kind_ = EntityKind::kQueue;
  std::string name_;
  std::string path_;
  LockToken locked_{1, 1};
  std::uint64_t deferred_ = 1000;
  std::uint64_t waiting_ = 1000;
  std::uint64_t scheduled_ = 1000;
  std::optional<LockToken> session_;
};

}  // namespace wharf
