#include "tools/wharf/receiving/receive_by_number.h"

#include <utility>

#include "tools/client/lock_keeper.h"
#include "tools/wharf/messages/left_out_body.h"
#include "tools/wharf/messages/message_table.h"
#include "tools/wharf/terminal/interrupt_watcher.h"

namespace wharf::tool {
namespace {

Result<v1::ReceiveResponse> Receive(Program& program, const ByNumberOptions& options) {
  if (options.number) {
    v1::ReceiveBySequenceNumberRequest request;
    request.set_entity_path(options.path);
    request.set_sequence_number(*options.number);
    request.set_mode(options.handover.mode);
    request.set_session_lock_token(options.session_token);
    return program.client().ReceiveBySequenceNumber(request);
  }
  v1::ReceiveDeferredRequest request;
  request.set_entity_path(options.path);
  *request.mutable_sequence_numbers() = options.deferred;
  request.set_mode(options.handover.mode);
  request.set_session_lock_token(options.session_token);
  request.set_takes_large(options.handover.mode == v1::RECEIVE_MODE_PEEK_LOCK);
  return program.client().ReceiveDeferred(request);
}

// A call for one token fails as a call; of several each has its result.
Result<client::SettleReceipt> SettleByCall(Program& program, const std::string& path,
                                           v1::Settlement&& settlement) {
  v1::SettleRequest request;
  request.set_entity_path(path);
  *request.mutable_settlement() = std::move(settlement);
  const auto settled = program.client().Settle(request);
  if (!settled.ok()) return settled.status();
  client::SettleReceipt receipt;
  for (const v1::TokenResult& result : settled->results()) {
    if (result.has_error()) {
      receipt.failures.push_back(result);
    } else {
      receipt.settled_count++;
    }
  }
  return receipt;
}

// Of messages over 1 MiB. Where one cannot be read all go back.
Status ReadBodies(Program& program, const std::string& path, v1::ReceiveResponse& received) {
  Status read;
  for (v1::ReceivedMessage& message : *received.mutable_messages()) {
    if (read.ok() && IsBodyLeftOut(message)) {
      read = ReadLeftOutBody(program.client(), path, message);
    }
  }
  if (read.ok()) return {};
  v1::Settlement release;
  release.mutable_release();
  for (const v1::ReceivedMessage& message : received.messages()) {
    release.add_lock_tokens(message.lock_token());
  }
  // One that does not go back now does with its lock.
  static_cast<void>(SettleByCall(program, path, std::move(release)));
  return read;
}

void Keep(client::LockKeeper& keeper, const v1::ReceiveResponse& received) {
  for (const v1::ReceivedMessage& message : received.messages()) {
    keeper.Keep(message.lock_token(), client::kLockDurationMin);
  }
}

}  // namespace

ExitCode ReceiveByNumber(Program& program, const ByNumberOptions& options) {
  auto received = Receive(program, options);
  if (!received.ok()) return program.Fail(received.status());
  client::LockKeeper keeper(program.client(), options.path);
  if (options.session_token.empty()) Keep(keeper, *received);
  const Status read = ReadBodies(program, options.path, *received);
  if (!read.ok()) return program.Fail(read);

  SettlementFailures failures;
  Interruption interruption;
  Handover handover(program.out, interruption, options.handover,
                    [&](v1::Settlement&& settlement, std::vector<Held>&& messages) {
                      keeper.Forget(settlement.lock_tokens());
                      failures.Add(messages,
                                   SettleByCall(program, options.path, std::move(settlement)));
                    });
  {
    InterruptWatcher watcher([&] { interruption.Raise(); });
    handover.Give(received->messages());
    handover.Finish();
  }
  const ExitCode failed = failures.Report(program);
  return failed != ExitCode::kOk ? failed : handover.Report(program);
}

}  // namespace wharf::tool
