// LineLedger: what became of every line of a file: sent, acknowledged, received, completed.
//
// A line that had no answer is sent again, and may then be there twice; a message that was
// completed with an acknowledgement must never come again. Any thread may use it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "wharf/v1/message.pb.h"

namespace wharf::crash {

class LineLedger {
 public:
  struct Totals {
    std::uint64_t lines = 0;
    std::uint64_t sent = 0;          // Lines handed over, those sent again among them.
    std::uint64_t acknowledged = 0;  // Lines that are acknowledged.
    std::uint64_t received = 0;      // Deliveries.
    std::uint64_t duplicates = 0;    // Deliveries of a line that was delivered before.
    std::uint64_t lost = 0;          // Acknowledged, and never received.
    std::uint64_t damaged = 0;       // Received, and not what was sent.
    std::uint64_t came_back = 0;     // Completed with an acknowledgement, and delivered again.

    bool is_good() const { return lost == 0 && damaged == 0 && came_back == 0; }
  };

  explicit LineLedger(std::vector<std::string> lines);

  // The line as a message; its number, counted from 1, is the message_id.
  v1::Message MakeMessage(std::size_t line) const;
  std::vector<std::size_t> Unacknowledged();

  void NoteSent();
  void NoteAcknowledged(std::size_t line);
  void NoteReceived(const v1::ReceivedMessage& message);
  void NoteCompleted(std::int64_t sequence_number);

  Totals totals();

 private:
  // Constant after construction.
  const std::vector<std::string> lines_;

  Mutex mutex_;
  Totals totals_ ABSL_GUARDED_BY(mutex_);
  std::vector<bool> acknowledged_ ABSL_GUARDED_BY(mutex_);
  std::vector<bool> received_ ABSL_GUARDED_BY(mutex_);
  std::set<std::int64_t> completed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::crash
