// Readers: the threads that read the store, and what runs on which.
//
// What is short and awaited never stands behind what is neither: reclaiming, jobs and long walks
// have threads of their own. None of them sees what was counted out (SpanView). What they read is
// counted. Made by a leadership; any thread may give work.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/functional/any_invocable.h"
#include "broker/reading/read_counts.h"
#include "storage/base/executor.h"
#include "storage/store.h"

namespace wharf {

enum class Urgency : std::uint8_t {
  kAwaited,     // A caller or a receiver waits for it, and it is short.
  kBackground,  // Nothing waits for it; or it walks a long way, as for the deepest sessions.
};

class Readers {
 public:
  struct Threads {
    // Several of each, or one.
    Executor& awaited;
    Executor& background;
  };
  using Work = absl::AnyInvocable<void(const StoreView& view) &&>;

  // All outlive this, and what was given to the threads.
  Readers(const Store& store, const Threads& threads) : store_(store), threads_(threads) {}

  // Reads what is in the store when it is its turn.
  void Read(Urgency urgency, Work work) const;
  // For work in many steps that must all see the same; keeps old rows alive until it is gone.
  std::shared_ptr<const StoreView> View() const;

  ReadCounts::Snapshot counts(Urgency urgency) const { return CountsOf(urgency)->Read(); }

 private:
  const std::shared_ptr<ReadCounts>& CountsOf(Urgency urgency) const {
    return urgency == Urgency::kAwaited ? awaited_ : background_;
  }

  const Store& store_;
  const Threads threads_;
  // They live on with work that is still on its thread.
  const std::shared_ptr<ReadCounts> awaited_ = std::make_shared<ReadCounts>();
  const std::shared_ptr<ReadCounts> background_ = std::make_shared<ReadCounts>();
};

}  // namespace wharf
