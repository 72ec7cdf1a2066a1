#include "tools/wharf/receive_by_number.h"

#include <fmt/core.h>

namespace wharf::tool {
namespace {

Result<v1::ReceiveResponse> Receive(Program& program, const ByNumberOptions& options) {
  if (options.number) {
    v1::ReceiveBySequenceNumberRequest request;
    request.set_entity_path(options.path);
    request.set_sequence_number(*options.number);
    request.set_mode(options.mode);
    request.set_session_lock_token(options.session_token);
    return program.client().ReceiveBySequenceNumber(request);
  }
  v1::ReceiveDeferredRequest request;
  request.set_entity_path(options.path);
  *request.mutable_sequence_numbers() = options.deferred;
  request.set_mode(options.mode);
  request.set_session_lock_token(options.session_token);
  return program.client().ReceiveDeferred(request);
}

ExitCode Settle(Program& program, const ByNumberOptions& options, Verb verb,
                const v1::ReceiveResponse& received) {
  v1::SettleRequest request;
  request.set_entity_path(options.path);
  *request.mutable_settlement() = MakeSettlement(verb, options.details);
  for (const v1::ReceivedMessage& message : received.messages()) {
    request.mutable_settlement()->add_lock_tokens(message.lock_token());
  }
  const auto settled = program.client().Settle(request);
  if (!settled.ok()) return program.Fail(settled.status());
  ExitCode code = ExitCode::kOk;
  for (const v1::TokenResult& result : settled->results()) {
    if (result.has_error()) code = program.Fail(client::ToStatus(result.error()));
  }
  return code;
}

}  // namespace

// Settled only when it is out, as all that `wharf receive` gets.
ExitCode ReceiveByNumber(Program& program, const ByNumberOptions& options) {
  const auto received = Receive(program, options);
  if (!received.ok()) return program.Fail(received.status());
  const bool is_printed = MessagePrinter(program.out, options.style).Print(received->messages());
  const bool is_locked = options.mode == v1::RECEIVE_MODE_PEEK_LOCK;
  if (!is_printed) {
    if (is_locked) Settle(program, options, Verb::kRelease, *received);
    program.err.Print("wharf: the output cannot be written; its messages were released\n");
    return ExitCode::kFailed;
  }
  if (!is_locked || !options.verb) return ExitCode::kOk;
  return Settle(program, options, *options.verb, *received);
}

}  // namespace wharf::tool
