#include "tools/wharf/receiving/receive_run.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/core.h>
#include <google/protobuf/util/time_util.h>

#include "storage/base/duration_text.h"
#include "tools/client/lock_keeper.h"
#include "tools/client/reconnecting_receiver.h"
#include "tools/client/session_keeper.h"
#include "tools/wharf/terminal/interrupt_watcher.h"
#include "tools/wharf/terminal/progress_bar.h"
#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

using std::chrono::steady_clock;
using Messages = std::vector<v1::ReceivedMessage>;

constexpr std::uint32_t kPrefetchMessages = 512;
constexpr std::uint64_t kPrefetchBytes = 64 << 20;
// How often to look what the reader has taken, while no message comes...
constexpr std::chrono::milliseconds kLookPause(20);
// ...and whether it is still there.
constexpr std::chrono::milliseconds kReaderPause(500);
// What a broker allows a receiver to hold.
constexpr std::uint32_t kSessionsMax = 1000;

// As many as its reader will soon want: what is locked for us nobody else gets.
std::uint32_t PrefetchFor(const PacedOutput& output) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(output.ahead(), kPrefetchMessages));
}

class ReceiveRun {
 public:
  ReceiveRun(Program& program, const ReceiveRunOptions& options)
      : program_(program),
        options_(options),
        session_keeper_(program.client().sessions(), options.path),
        lock_keeper_(program.client(), options.path),
        handover_(program.out, interruption_, options.handover,
                  [this](v1::Settlement&& settlement, std::vector<Held>&& messages) {
                    Settle(std::move(settlement), std::move(messages));
                  }),
        receiver_(
            program.client(), options.path, ReceiverOptions(), ReconnectOptions(),
            {.on_accepted = [this](client::Receiver&,
                                   const v1::AcceptedSession& session) { OnAccepted(session); },
             .on_ended = [this](client::Receiver&,
                                const v1::SessionEnded& session) { OnEnded(session); }}) {
    if (!program.out.is_terminal()) {
      const bool has_total = options.messages_max != 0;
      progress_.emplace(has_total ? std::optional(options.messages_max) : std::nullopt);
    }
  }

  ExitCode Run() {
    InterruptWatcher watcher([this] {
      interruption_.Raise();
      receiver_.Interrupt();
    });
    const Status received = AcceptAndReceive();
    handover_.Finish();
    const Status flushed = receiver_.Flush();
    progress_.reset();
    const ExitCode failed = failures_.Report(program_);
    if (failed != ExitCode::kOk) return failed;
    if (!received.ok()) return FailToReceive(received);
    if (!flushed.ok()) return program_.Fail(flushed);
    return Verdict();
  }

 private:
  Duration Patience() const { return options_.follows ? kUnlimited : options_.wait; }
  bool has_session() const {
    return options_.session.is_accepted() || !options_.session.token.empty();
  }

  client::Receiver::Options ReceiverOptions() {
    GivenSession session = options_.session;
    // Sessions whose messages are kept to the end stay ours, too.
    if (GivesBack(options_.handover.verb) && session.is_many) {
      session.many.concurrent_max = kSessionsMax;
    }
    return {.mode = options_.handover.mode,
            .prefetch_messages = PrefetchFor(handover_.output()),
            .prefetch_bytes = kPrefetchBytes,
            .messages_max = options_.messages_max,
            .session = ToSessionOption(session, Patience()),
            .keeper = has_session() ? nullptr : &lock_keeper_};
  }

  client::ReconnectOptions ReconnectOptions() {
    if (!options_.follows) return {};
    return {.patience = kUnlimited,
            .on_lost =
                [this](const Status& reason) {
                  program_.err.Print("wharf: {}; trying again until it comes back\n",
                                     Printable(reason.ToString()));
                },
            .on_back = [this] { program_.err.Print("wharf: the broker is back\n"); }};
  }

  // The wait for messages begins when there is a session.
  Status AcceptAndReceive() {
    if (!options_.session.token.empty()) KeepHeldSession();
    if (options_.session.id || options_.session.is_next) {
      const Result<v1::AcceptedSession> session = receiver_.WaitForSession();
      if (!session.ok()) return interruption_.is_raised() ? Status::Ok() : session.status();
    }
    return ReceiveAll();
  }

  void KeepHeldSession() {
    using google::protobuf::util::TimeUtil;
    v1::AcceptedSession session;
    session.set_session_lock_token(options_.session.token);
    *session.mutable_lock_duration() =
        TimeUtil::MicrosecondsToDuration(client::kLockDurationMin.count());
    session_keeper_.Keep(session);
  }

  Status ReceiveAll() {
    while (true) {
      const Result<std::size_t> count = Take(Patience());
      if (!count.ok()) return count.status();
      if (IsEnough()) return options_.messages_max == received_ ? Status::Ok() : TakeTheRest();
      if (*count > 0) continue;
      const std::uint64_t before = received_;
      WHARF_RETURN_IF_ERROR(TakeTheRest());
      if (received_ == before || IsEnough()) return Status::Ok();
      receiver_.Resume();
    }
  }

  bool IsEnough() const {
    return interruption_.is_raised() || handover_.output().is_broken() || handover_.is_full() ||
           (options_.messages_max != 0 && received_ >= options_.messages_max);
  }

  // What was on its way is ours: otherwise it would stay locked without anyone having seen it.
  Status TakeTheRest() {
    const Result<std::uint32_t> drained = receiver_.Drain();
    // A lost connection has nothing on its way.
    if (!drained.ok()) return options_.follows ? Status::Ok() : drained.status();
    while (true) {
      const Result<std::size_t> count = Take(Duration(0));
      if (!count.ok()) return count.status();
      if (*count == 0) return Status::Ok();
    }
  }

  // Gets some messages and hands them over; how many.
  Result<std::size_t> Take(Duration patience) {
    const Result<Messages> messages = Await(patience);
    // Who wants an end does not care that the broker was away at the time.
    if (!messages.ok() && options_.follows && interruption_.is_raised()) return std::size_t{0};
    if (!messages.ok()) return messages.status();
    if (messages->empty()) return std::size_t{0};
    received_ += messages->size();
    handover_.Give(*messages);
    receiver_.RaisePrefetch(PrefetchFor(handover_.output()));
    if (progress_) progress_->Update(received_);
    return messages->size();
  }

  // Waits for messages, and looks meanwhile what the reader takes.
  Result<Messages> Await(Duration patience) {
    const bool is_limited = patience != kUnlimited;
    const auto end = is_limited ? steady_clock::now() + patience : steady_clock::time_point::max();
    while (true) {
      const Duration left =
          is_limited ? std::max(Duration(0),
                                std::chrono::duration_cast<Duration>(end - steady_clock::now()))
                     : kUnlimited;
      auto messages = receiver_.Receive(kPrefetchMessages, std::min(left, LookAfter()));
      if (!messages.ok() || !messages->empty() || left == Duration(0)) return messages;
      handover_.Look();
      if (IsEnough()) return messages;
    }
  }

  Duration LookAfter() const {
    if (!handover_.output().has_reader()) return kUnlimited;
    return handover_.output().untaken() > 0 ? kLookPause : kReaderPause;
  }

  void Settle(v1::Settlement&& settlement, std::vector<Held>&& messages) {
    receiver_.Settle(std::move(settlement), [this, held = std::move(messages)](
                                                const Result<client::SettleReceipt>& receipt) {
      if (!receipt.ok() || !receipt->failures.empty()) failures_.Add(held, receipt);
    });
  }

  // On a thread of gRPC.
  void OnAccepted(const v1::AcceptedSession& session) { session_keeper_.Keep(session); }
  void OnEnded(const v1::SessionEnded& session) {
    session_keeper_.Forget(session.session_lock_token());
    if (session.has_error()) program_.PrintError(client::ToStatus(session.error()));
  }

  // What we held has its own results: of a receive that ended nothing is unknown.
  ExitCode FailToReceive(const Status& status) {
    return program_.Fail({status.code(), status.message(), Outcome::kNotDone});
  }

  ExitCode Verdict() {
    const ExitCode handed_over = handover_.Report(program_);
    if (handed_over != ExitCode::kOk) return handed_over;
    if (handover_.is_full()) {
      return program_.Fail({ErrorCode::kQuotaExceeded,
                            fmt::format("{} messages were kept for the end, and that is the limit: "
                                        "those behind them were not looked at; wharf peek shows "
                                        "them all",
                                        Handover::kKeptMax)});
    }
    if (received_ == 0 && program_.err.is_terminal() && !interruption_.is_raised()) {
      program_.err.Print("wharf: no message came within {}\n", FormatDuration(options_.wait));
    }
    return received_ < options_.expected ? ExitCode::kTooFew : ExitCode::kOk;
  }

  Program& program_;
  const ReceiveRunOptions& options_;
  Interruption interruption_;
  SettlementFailures failures_;
  client::SessionKeeper session_keeper_;
  client::LockKeeper lock_keeper_;
  Handover handover_;
  std::optional<ProgressBar> progress_;
  std::uint64_t received_ = 0;
  // Last: its callbacks use the rest.
  client::ReconnectingReceiver receiver_;
};

}  // namespace

ExitCode RunReceive(Program& program, const ReceiveRunOptions& options) {
  return ReceiveRun(program, options).Run();
}

}  // namespace wharf::tool
