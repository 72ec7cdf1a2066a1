// StateVerifier: what a node does so that states that are not the same are found: it answers what
// leaders ask, and asks where it leads itself.
//
//   entry of the log -> applier -> OnCheck: a view of that position -> a thread: DigestRange
//        ^                                                                |
//        | propose                          answer, to who leads <--------+
//   StateComparison, of who leads: one range in each look, and at once where one differs
//
// A member that differs from a majority of equal ones gives its state up, and takes that of another
// one; who leads hands over first. Where no majority is equal nobody stops, and all say so.
// Bounded: a view for each check that waits, and few wait; a row in memory. A comparison begins
// when somebody asks for it, and a day after the last one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/thread_pool.hpp>

#include "absl/base/thread_annotations.h"
#include "replication/node_message.h"
#include "replication/verify/state_comparison.h"
#include "replication/verify/state_verdict.h"
#include "storage/apply/batch_applier.h"
#include "storage/base/mutex.h"
#include "storage/base/random.h"
#include "storage/left_out_rows.h"

namespace wharf {

class StateVerifier final : public CheckListener {
 public:
  struct Options {
    StateComparison::Options comparison{};
    // Without being asked: behind the beginning of a leadership, and from one to the next.
    Duration first_after = std::chrono::hours(1);
    Duration every = std::chrono::hours(24);
    // Until a leader whose state is wrong hands over, so that who asked hears why; and between two
    // attempts.
    Duration hand_over_after = std::chrono::seconds(1);
    Duration hand_over_pace = std::chrono::seconds(5);
  };

  // What is pointed to outlives it.
  struct World {
    const Store& store;
    const TableSet& tables;
    MakeLeftOutRows left_out{};
    // This node; and who leads, as far as it knows.
    RaftId self = 0;
    std::function<RaftId()> leader{};
    std::function<void(RaftId to, NodeMessageKind kind, std::string content)> send{};
    // `Step` is to be called on the node's thread. Any thread.
    std::function<void()> step_soon{};
    std::function<void()> hand_over{};
    // This state is not to be trusted any more. Once, on the node's thread or that of the peers.
    std::function<void(const std::string& why)> give_up{};
    Random& random;
  };

  // The node as its thread finds it.
  struct Turn {
    bool is_leading = false;
    // Of who leads: all members know checks.
    bool may_check = true;
    Duration now{};
    // Puts a check into the log of who leads; false: not now.
    std::function<bool(const std::string& check)> propose{};
  };

  StateVerifier(const Options& options, World world);
  ~StateVerifier() override { Stop(); }
  // Nothing that is pointed to is used any more.
  void Stop();

  // On the applier's thread, when the state is at the entry that asks.
  void OnCheck(std::string_view check, Timestamp time, std::uint64_t index) override;
  // From a peer, of the kinds that are about states; any thread.
  void OnMessage(RaftId from, NodeMessageKind kind, const std::string& content);

  // Now and then, on the node's thread; `members`: as they are, for a comparison that begins.
  using Members = std::function<std::vector<StateComparison::Member>()>;
  void Look(const Turn& turn, const Members& members);
  // The same, for what need not wait until then.
  void Step(const Turn& turn);

  // With the next look, where one is under way already nothing more. Any thread.
  void Begin();
  // The comparison that was begun last; nothing: there was none since this node leads.
  std::optional<StateComparison::Progress> progress() const;
  // Why some state is not to be trusted, in a sentence; empty: nobody has said so.
  std::string alarm() const;

  // What a difference means, for the person on call.
  std::string SentenceOf(const StateComparison::Progress& progress) const;

 private:
  void Answer(const StateCheck& check, Timestamp time, std::uint64_t index, const StoreView& view);
  StateCheckAnswer AnswerTo(const StateCheck& check, Timestamp time, std::uint64_t index,
                            const StoreView& view) const;
  void TakeAnswer(RaftId from, const StateCheckAnswer& answer);
  void TakeVerdict(const StateVerdict& verdict);
  void BeginIfDue(const Turn& turn, const Members& members);
  // Whether a comparison is to begin now, and none is under way.
  bool IsDue(Duration now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Ask(const Turn& turn, bool may_begin);
  // Once, when a comparison has ended.
  void TellVerdicts();
  void Tell(const StateComparison::Member& member, const StateVerdict& verdict);
  void TendGivingUp(const Turn& turn);

  const Options options_;
  const World world_;

  mutable Mutex mutex_;
  std::optional<StateComparison> comparison_ ABSL_GUARDED_BY(mutex_);
  bool is_wanted_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_told_ ABSL_GUARDED_BY(mutex_) = true;
  std::string alarm_ ABSL_GUARDED_BY(mutex_);
  // This node's own state is the one that differs.
  std::optional<std::string> gives_up_ ABSL_GUARDED_BY(mutex_);

  // Of the node's thread.
  std::optional<Duration> next_;
  std::optional<Duration> hands_over_next_;

  std::atomic<bool> has_given_up_ = false;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<int> waiting_ = 0;
  boost::asio::thread_pool thread_{1};
};

}  // namespace wharf
