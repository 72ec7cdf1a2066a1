// Garbage: which rows nobody can ask for any more, so that the store's compactions may drop them.
//
// The broker's lazy hand. What it drops has no effect already: it goes by what is committed, never
// by a clock or a plan, and every reader knows at least as much.
//
//   by time     the time of the last commit; every reader compares with a later one
//   by spans    messages that were counted out. Learned when a commit is applied, and believed when
//               all views are closed that were opened before; unlearned before a commit is applied
//               that forgets them, because the numbers of a shelf may be used again behind it
//
// A start loads it before its log is open; until then nothing is garbage by spans. Upkeep tells
// what is applied, on the log's thread; compactions ask on threads of the store, through judges
// that keep no more than one answer (garbage_rules.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "broker/core/changes/shelf.h"
#include "broker/core/changes/span.h"
#include "storage/base/mutex.h"
#include "storage/base/time.h"
#include "storage/batch_notes.h"
#include "storage/store.h"
#include "storage/view_ledger.h"

namespace wharf {

class Garbage {
 public:
  // Where the views of the store stand; outlives it.
  explicit Garbage(ViewLedger& views) : views_(views) {}

  // What is committed. Of spans that cannot be read nothing is garbage.
  Status Load(const Store& store);
  // As in CommitLog::ApplyListener.
  void OnApplying(const BatchNotes& notes);
  void OnApplied(const BatchNotes& notes);
  // Believes what has waited for views that are closed by now; also done by OnApplied.
  void Refresh();

  // A row of `duplicates`: its window has passed (DUP-5).
  bool IsForgotten(std::string_view record) const;
  // A row of `outcomes`: nobody is told of it any more (TXX-1).
  bool IsForgottenOutcome(std::string_view record) const;
  // A row of `events`: its time has passed.
  bool IsForgottenEvents(std::string_view record) const;

  // Which span covers messages from `begin` up to but not `end`, which is empty at the end of all;
  // none: no message there is garbage. Keys are those of `messages`.
  struct Stretch {
    std::string begin{};
    std::string end{};
    std::shared_ptr<const Span> span{};
    std::uint64_t version = 0;
  };
  // As it is now; true until the version is another one.
  Stretch StretchAt(std::string_view key) const;
  // At most `count` ranges of `messages` that spans cover and that end behind `from`, in the order
  // of their keys. Nearly all in them is garbage: a span of which more than a tenth lives is none.
  std::vector<KeyRange> CoveredFrom(std::string_view from, std::size_t count) const;
  // The same of `order`, in each track that the lane may have: nearly all rows in them are garbage,
  // if there are any.
  std::vector<KeyRange> CoveredInTracksFrom(std::string_view from, std::size_t count) const;
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

 private:
  // By the keys of their rows.
  using SpanRows = std::map<std::string, std::shared_ptr<const Span>, std::less<>>;
  // What was learned, and is known to all views but those that are older than this.
  struct Learned {
    ViewLedger::Epoch since{};
    SpanRows spans{};
  };

  static bool IsNearlyAllGarbage(const Span& span);
  // Adds those in one track of a shelf that end behind `from`, up to `count`.
  static void AddInTrack(const Shelf& shelf, std::uint8_t track, SpanRows::const_iterator begin,
                         SpanRows::const_iterator end, std::string_view from, std::size_t count,
                         std::vector<KeyRange>& ranges);
  void Take(const WatchedWrite& write) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Forget(const KeyRange& rows) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Believe() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // An answer may have become another one.
  void NoteChange() { version_.fetch_add(1, std::memory_order_release); }

  ViewLedger& views_;
  // Of the last commit.
  std::atomic<Timestamp> committed_{};
  std::atomic<std::uint64_t> version_{0};
  mutable Mutex mutex_;
  SpanRows known_ ABSL_GUARDED_BY(mutex_);
  // Waits for views. What is learned meanwhile waits behind it, so that it may be learned as often
  // as it likes and nobody waits for ever.
  Learned waiting_ ABSL_GUARDED_BY(mutex_);
  Learned next_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
