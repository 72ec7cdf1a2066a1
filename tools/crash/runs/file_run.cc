#include "tools/crash/runs/file_run.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "tools/client/error.h"
#include "tools/crash/clients/recorded_client.h"

namespace wharf::crash {
namespace {

constexpr char kQueue[] = "lines";
// The shortest that the broker takes: what was on its way at a kill comes back soon.
constexpr int kLockSeconds = 5;
constexpr Duration kConnectPatience = std::chrono::seconds(60);
constexpr Duration kReceivePatience = std::chrono::milliseconds(500);
constexpr std::size_t kTokensMax = 4500;
// Small requests, many of them on their way: a kill meets some at every stage.
constexpr client::SenderOptions kSenderOptions = {
    .window_messages = 64, .window_bytes = 4 << 20, .request_messages_max = 4};
constexpr std::uint32_t kPrefetch = 16;
constexpr std::size_t kReceiveMax = 8;

v1::QueueProperties Queue() {
  v1::QueueProperties queue;
  queue.set_name(kQueue);
  queue.mutable_lock_duration()->set_seconds(kLockSeconds);
  // A message may be in flight at every kill.
  queue.set_max_delivery_count(1'000'000);
  return queue;
}

}  // namespace

FileRun::FileRun(Options options, KillableBroker& broker, LineLedger& ledger)
    : options_(std::move(options)), broker_(broker), ledger_(ledger), dice_(options_.seed) {}

Status FileRun::Run() {
  WHARF_RETURN_IF_ERROR(broker_.Start());
  WHARF_RETURN_IF_ERROR(Connect());
  WHARF_RETURN_IF_ERROR(client_->management().CreateQueue(Queue()).status());
  const std::uint64_t kills_while_sending = (options_.kills + 1) / 2;
  WHARF_RETURN_IF_ERROR(SendAll(kills_while_sending));
  WHARF_RETURN_IF_ERROR(ReceiveAll(options_.kills - kills_while_sending));
  return Stop();
}

Status FileRun::Connect() {
  client_.emplace(broker_.address(), client::ClientOptions{.has_own_connection = true});
  return client_->Connect(kConnectPatience);
}

Status FileRun::Stop() {
  client_.reset();
  return broker_.Stop();
}

void FileRun::ArmKill(std::uint64_t left, std::uint64_t kills_left) {
  const std::uint64_t share = std::max<std::uint64_t>(left / (kills_left + 1), 1);
  progress_.Arm(dice_.Between((share + 1) / 2, share), [this] { broker_.Kill(); });
}

// Also when there was not enough to do for the kill that was drawn.
Status FileRun::EndLife(std::string_view doing, const Unanswered& unanswered) {
  progress_.Stop();
  WHARF_RETURN_IF_ERROR(broker_.GoOn());
  ++kills_;
  options_.tell(fmt::format("kill {} while {}: {} acknowledged in this life, {} without an answer",
                            kills_, doing, progress_.acknowledged(), unanswered.count.load()));
  return Connect();
}

Status FileRun::SendAll(std::uint64_t kills) {
  for (; kills > 0; --kills) {
    Unanswered unanswered;
    ArmKill(ledger_.Unacknowledged().size(), kills);
    SendLines(unanswered);
    WHARF_RETURN_IF_ERROR(EndLife("sending", unanswered));
  }
  Unanswered unanswered;
  SendLines(unanswered);
  MutexLock lock(mutex_);
  return refused_;
}

void FileRun::SendLines(Unanswered& unanswered) {
  const auto sender = client_->CreateSender(kQueue, kSenderOptions);
  for (const std::size_t line : ledger_.Unacknowledged()) {
    if (unanswered.is_broken) break;
    ledger_.NoteSent();
    sender->Send(ledger_.MakeMessage(line),
                 [this, line, &unanswered](const Result<client::SendReceipt>& receipt) {
                   if (receipt.ok()) {
                     ledger_.NoteAcknowledged(line);
                     progress_.NoteAcknowledged();
                   } else if (IsGone(receipt.status())) {
                     unanswered.is_broken = true;
                     if (receipt.status().outcome() == Outcome::kUnknown) ++unanswered.count;
                   } else {
                     MutexLock lock(mutex_);
                     refused_ = receipt.status();
                   }
                 });
  }
  static_cast<void>(sender->Flush());
}

Status FileRun::ReceiveAll(std::uint64_t kills) {
  for (; kills > 0; --kills) {
    Unanswered unanswered;
    ArmKill(ledger_.totals().lines - std::min(ledger_.totals().received, ledger_.totals().lines),
            kills);
    WHARF_RETURN_IF_ERROR(SettleOpen());
    WHARF_RETURN_IF_ERROR(ReceiveLines(unanswered).status());
    WHARF_RETURN_IF_ERROR(EndLife("receiving", unanswered));
  }
  Unanswered unanswered;
  WHARF_RETURN_IF_ERROR(SettleOpen());
  const Result<bool> is_empty = ReceiveLines(unanswered);
  if (!is_empty.ok() || *is_empty) return is_empty.status();
  return {ErrorCode::kServiceCommunicationProblem, "the broker serves no more, by itself"};
}

// The locks of an earlier life still hold: their tokens complete their messages.
Status FileRun::SettleOpen() {
  std::vector<std::string> tokens;
  {
    MutexLock lock(mutex_);
    for (const auto& [token, number] : open_) tokens.push_back(token);
  }
  for (std::size_t begin = 0; begin < tokens.size(); begin += kTokensMax) {
    const std::size_t end = std::min(tokens.size(), begin + kTokensMax);
    v1::SettleRequest request;
    request.set_entity_path(kQueue);
    *request.mutable_settlement() =
        MakeSettlement({}, {tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                            tokens.begin() + static_cast<std::ptrdiff_t>(end)});
    const Result<v1::SettleResponse> response = client_->Settle(request);
    Unanswered none;
    const bool is_of_token = end - begin == 1 && !response.ok() && !IsGone(response.status());
    if (is_of_token) OnCompleted(tokens[begin], response.status(), none);
    if (is_of_token) continue;
    if (!response.ok()) return response.status();
    for (const v1::TokenResult& result : response->results()) {
      OnCompleted(result.lock_token(),
                  result.has_error() ? client::ToStatus(result.error()) : Status::Ok(), none);
    }
  }
  return {};
}

Result<bool> FileRun::ReceiveLines(Unanswered& unanswered) {
  const auto receiver = client_->CreateReceiver(kQueue, {.prefetch_messages = kPrefetch});
  while (true) {
    const auto messages = receiver->Receive(kReceiveMax, kReceivePatience);
    if (!messages.ok()) return false;
    for (const v1::ReceivedMessage& message : *messages) {
      ledger_.NoteReceived(message);
      Complete(*receiver, message, unanswered);
    }
    if (!messages->empty()) continue;
    // Nothing to be had: all is done, or locked until the receiver that was killed has lost it.
    if (!receiver->Flush().ok()) return false;
    const auto counters = client_->management().GetQueueRuntimeProperties(kQueue);
    if (!counters.ok() && IsGone(counters.status())) return false;
    if (!counters.ok()) return counters.status();
    if (counters->total_message_count() == 0) return true;
  }
}

void FileRun::Complete(client::Receiver& receiver, const v1::ReceivedMessage& message,
                       Unanswered& unanswered) {
  const std::string& token = message.lock_token();
  {
    MutexLock lock(mutex_);
    open_.emplace(token, message.sequence_number());
  }
  receiver.Settle(MakeSettlement({}, {token}), [this, token, &unanswered](
                                                   const Result<client::SettleReceipt>& receipt) {
    const bool has_failed = receipt.ok() && !receipt->failures.empty();
    OnCompleted(token,
                has_failed ? client::ToStatus(receipt->failures[0].error()) : receipt.status(),
                unanswered);
  });
}

// A token that is refused was used before its answer was lost, or its lock has ended; then the
// message comes again.
void FileRun::OnCompleted(const std::string& token, const Status& status, Unanswered& unanswered) {
  if (!status.ok() && status.outcome() == Outcome::kUnknown) ++unanswered.count;
  if (IsGone(status)) return;
  {
    MutexLock lock(mutex_);
    const auto found = open_.find(token);
    if (found != open_.end()) {
      if (status.ok()) ledger_.NoteCompleted(found->second);
      open_.erase(found);
    }
  }
  if (status.ok()) progress_.NoteAcknowledged();
}

}  // namespace wharf::crash
