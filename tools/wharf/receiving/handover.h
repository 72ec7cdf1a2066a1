// Handover: gives received messages to whoever reads stdout, and settles each when it was taken.
//
// Verbs that give a message back (abandon, release) wait until the end, so that none comes twice in
// one run; their messages stay locked until then, and so do those that are only looked at. What was
// not taken, because the reader is gone or the user wants an end, is released. Used by `wharf
// receive`, on the main thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "tools/wharf/messages/message_printer.h"
#include "tools/wharf/receiving/settlement_failures.h"
#include "tools/wharf/receiving/settlement_verb.h"
#include "tools/wharf/terminal/paced_output.h"

namespace wharf::tool {

struct HandoverOptions {
  PrintStyle style;
  v1::ReceiveMode mode = v1::RECEIVE_MODE_PEEK_LOCK;
  // None: the messages stay locked, for `wharf settle`.
  std::optional<Verb> verb;
  VerbDetails details;
};

class Handover {
 public:
  // Settles these messages, and hears what became of that.
  using Settler = std::function<void(v1::Settlement&& settlement, std::vector<Held>&& messages)>;

  // So many may wait for the end: a broker locks 45,000 for one connection unless told otherwise,
  // and then says nothing but that there are no more.
  static constexpr std::size_t kKeptMax = 40'000;

  // `out` and `interruption` outlive it.
  Handover(Output& out, const Interruption& interruption, HandoverOptions options, Settler settler);

  // Waits as long as the reader has enough.
  template <typename Messages>
  void Give(const Messages& messages) {
    for (const v1::ReceivedMessage& message : messages) GiveOne(message);
    output_.Flush();
    ReleaseUnseen();
  }
  // Settles what was taken meanwhile.
  void Look() { output_.Look(); }
  // Waits until all is taken, and settles or releases all that is left.
  void Finish();
  // Says what did not get out. kOk if there is nothing to say.
  ExitCode Report(Program& program) const;

  const PacedOutput& output() const { return output_; }
  // Whether no more messages can wait for the end.
  bool is_full() const { return kept_count_ >= kKeptMax; }

 private:
  void GiveOne(const v1::ReceivedMessage& message);
  void OnTaken(std::uint64_t count);
  void ReleaseUnseen();
  void Settle(Verb verb, const VerbDetails& details, std::vector<Held>&& messages);
  bool is_locked() const { return options_.mode == v1::RECEIVE_MODE_PEEK_LOCK; }
  bool gives_back() const { return GivesBack(options_.verb); }

  // Constant after construction.
  const Interruption& interruption_;
  const HandoverOptions options_;
  const Settler settler_;
  const MessagePrinter printer_;

  std::deque<Held> printed_;  // And not taken yet, in the order of the output.
  std::vector<Held> kept_;    // Taken, and given back at the end.
  std::vector<Held> unseen_;  // Never printed, and to be released.
  std::size_t kept_count_ = 0;
  NumberRanges lost_;  // Deleted by the broker, and not taken by the reader.
  PacedOutput output_;
};

}  // namespace wharf::tool
