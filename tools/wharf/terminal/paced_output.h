// PacedOutput: messages on stdout, no faster than their reader takes them.
//
// What is in a pipe was read by nobody yet, and is lost if its reader goes away. So a pipe gets one
// message at first, and twice as many whenever the reader has taken all; and of each message it is
// told when its last byte has left the pipe. Linux says how much lies in a pipe unread (FIONREAD on
// our own end, also when the other end is closed), but wakes nobody when that changes: who waits
// looks again, soon at first and at most fifty times a second later. A socket counts as a pipe, by
// what it says is unsent (SIOCOUTQ). To a file or a terminal a message is taken when it is written.
//
// Used by `wharf receive`, on the main thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "tools/wharf/terminal/interruption.h"
#include "tools/wharf/terminal/output.h"

namespace wharf::tool {

class PacedOutput {
 public:
  // The oldest `count` messages that were not taken yet are.
  using TakenCallback = std::function<void(std::uint64_t count)>;

  // Both outlive it.
  PacedOutput(Output& out, const Interruption& interruption, TakenCallback on_taken);

  // A piece of a message; kept in memory for a while unless it is long.
  void Put(std::string_view piece);
  // The message is complete. Waits as long as the reader has enough before it.
  void End();
  // Hands on what is still in memory.
  void Flush();
  // Learns what was taken since, and whether the reader is gone, without waiting.
  void Look();
  // Returns when everything is taken, the reader is gone or, interrupted, some seconds passed.
  void WaitUntilTaken();

  // Nothing can be written any more: the reader is gone, or the disk is full.
  bool is_broken() const { return is_reader_gone_ || out_.is_broken(); }
  bool is_reader_gone() const { return is_reader_gone_ || out_.is_reader_gone(); }
  bool has_reader() const { return kind_ != Kind::kFile; }
  // How many messages may lie before the reader.
  std::uint64_t ahead() const { return ahead_; }
  std::uint64_t untaken() const { return ends_.size(); }

 private:
  enum class Kind { kFile, kPipe, kSocket };
  using Time = std::chrono::steady_clock::time_point;

  static Kind KindOf(int descriptor);

  void WriteOut(std::string_view bytes);
  bool WaitForRoom();
  void WaitForReader();
  void Widen(std::uint64_t taken);
  void Pause(std::chrono::microseconds& pause) const;
  short Poll(short events, std::chrono::microseconds timeout) const;
  std::uint64_t UnreadBytes() const;
  bool IsPatienceOver();

  // Constant after construction.
  Output& out_;
  const Interruption& interruption_;
  const TakenCallback on_taken_;
  const Kind kind_;

  std::uint64_t ahead_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t followed_ = 0;  // Messages that were taken since it grew.
  std::string buffer_;
  std::uint64_t put_ = 0;           // Bytes, altogether.
  std::uint64_t written_ = 0;       // Of them handed to the system.
  std::uint64_t taken_ = 0;         // Of them read by the reader.
  std::deque<std::uint64_t> ends_;  // Of messages that were not taken yet, counted as `put_`.
  bool is_reader_gone_ = false;
  std::optional<Time> interrupted_at_;
};

}  // namespace wharf::tool
