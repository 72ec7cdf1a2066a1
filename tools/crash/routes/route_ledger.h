// RouteLedger: which copies of which messages must be where, and whether they are.
//
// A sending is what one request asked for: messages, each with a copy on every route that it must
// take. All of it is stored, or nothing. As long as a request has no answer both are good; a look
// at what lies in the broker decides, and from then on it is known. Any thread may use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "tools/crash/history/body.h"
#include "tools/crash/history/message_id.h"
#include "tools/crash/history/violation.h"
#include "tools/crash/routes/route.h"

namespace wharf::crash {

// How a request ended, as far as is known.
enum class Fate : std::uint8_t { kUnknown, kDone, kNotDone };

Fate FateOf(const Status& status);

// A message, and where it must go.
struct RoutedMessage {
  MessageId id;
  BodyDigest body;
  std::vector<Route> routes;
};

struct SeenCopy {
  MessageId id;
  BodyDigest body;
};

// What lies where.
using Inventory = std::map<Place, std::vector<SeenCopy>>;

class RouteLedger {
 public:
  using SendingIndex = std::size_t;

  struct Totals {
    std::uint64_t messages = 0;        // Sent.
    std::uint64_t acknowledged = 0;    // Sendings.
    std::uint64_t refused = 0;         // Sendings.
    std::uint64_t unknown = 0;         // Sendings; until the next look.
    std::uint64_t unknown_stored = 0;  // Sendings of which the look showed that they are stored.
    std::uint64_t completed = 0;
    std::uint64_t completed_unknown = 0;
    std::uint64_t moved = 0;  // Messages.
    std::uint64_t copies_seen = 0;
  };

  // Before the request leaves.
  SendingIndex NoteSending(const std::vector<RoutedMessage>& messages);
  void NoteSent(SendingIndex sending, Fate fate);

  // What is delivered is stored, whatever its sender hears.
  void NoteDelivered(Place place, const SeenCopy& seen);
  // Before the request leaves.
  void NoteCompleting(Place place, const MessageId& id);
  void NoteCompleted(Place place, const MessageId& id, Fate fate);
  // It lies in the last place of its route now.
  void NoteMoved(const MessageId& id);
  // When nobody is at work: nothing lies there any more.
  void NoteEmptied(Place place);
  // A promise that was broken elsewhere.
  void Report(Violation violation);

  // Nobody is at work, but some messages may still be forwarded: places were looked at from the
  // last to the first, so that nobody is seen twice who is there once.
  void CheckUnderWay(const Inventory& inventory);
  // Nothing is on its way.
  void CheckAtRest(const Inventory& inventory);

  // Those since the last time.
  Violations TakeViolations();
  Totals totals();

 private:
  enum class Gone : std::uint8_t { kNo, kMaybe, kYes };

  struct Copy {
    MessageId id;
    BodyDigest body;
    Route route;
    Gone gone = Gone::kNo;
    // In the look that is judged.
    std::vector<Place> seen_in{};
  };

  struct Sending {
    std::vector<Copy> copies;
    Fate fate = Fate::kUnknown;
  };

  struct CopyIndex {
    SendingIndex sending = 0;
    std::size_t copy = 0;
  };

  // Null if nobody sent it there.
  const CopyIndex* Find(Place place, const MessageId& id) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Copy& At(const CopyIndex& index) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return sendings_[index.sending].copies[index.copy];
  }
  // Notes in each copy where it was seen.
  void Spread(const Inventory& inventory) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsAsSent(const CopyIndex* index, Place place, const SeenCopy& seen)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Judge(Sending& sending) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void JudgeCopy(const Sending& sending, const Copy& copy, bool was_unknown)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Add(Rule rule, const Sending& sending, const Copy& copy, const std::string& what)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  std::vector<Sending> sendings_ ABSL_GUARDED_BY(mutex_);
  std::map<std::pair<MessageId, Place>, CopyIndex> copies_ ABSL_GUARDED_BY(mutex_);
  Violations violations_ ABSL_GUARDED_BY(mutex_);
  Totals totals_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::crash
