// The transactions of RecordedAmqp.

#include <utility>
#include <variant>

#include "tools/crash/amqp/recorded_amqp.h"

namespace wharf::crash {
namespace {

// Its client rolled it back, or it could not become whole: nothing of it is done.
Status RolledBack() { return {ErrorCode::kTransactionAborted, "it was rolled back"}; }

}  // namespace

Result<amqp::LinkId> RecordedAmqp::Control() {
  if (control_ && client_->StateOf(*control_).ok()) return *control_;
  const auto opened = client_->Open(ControlLink());
  if (!opened.ok()) return opened.status();
  control_ = opened->link;
  return *control_;
}

Result<amqp::DeliveryState> RecordedAmqp::Tell(std::string message) {
  const Result<amqp::LinkId> control = Control();
  if (!control.ok()) return control.status();
  const auto told = std::make_shared<Result<amqp::DeliveryState>>(
      Status(ErrorCode::kServiceTimeout, "it was not answered in time", Outcome::kUnknown));
  client_->Send(*control, {.message = std::move(message)},
                [told](const Result<amqp::DeliveryState>& state) { *told = state; });
  static_cast<void>(client_->AwaitAnswers());
  return *told;
}

Result<std::string> RecordedAmqp::Declare() {
  const Result<amqp::DeliveryState> told = Tell(DeclareMessage());
  if (!told.ok()) return told.status();
  const auto* const declared = std::get_if<amqp::Declared>(&*told);
  if (declared == nullptr) return Status(ErrorCode::kGeneralError, "a declare is not declared");
  return declared->txn_id.bytes;
}

Status RecordedAmqp::Add(const Exchange& exchange, const Receiving& receiving, const Got& got,
                         const v1::Message& message) {
  const Result<amqp::LinkId> link = SenderTo(exchange.send.queue);
  if (!link.ok()) return link.status();
  const auto added = std::make_shared<Status>();
  const auto note = [added](const Result<amqp::DeliveryState>& state) {
    if (!state.ok()) *added = state.status();
  };
  client_->Send(*link, {.message = EncodeMessage(message), .state = InTransaction(exchange.id)},
                note);
  client_->Settle(receiving.link, got.delivery, InTransaction(exchange.id, amqp::Accepted()), note);
  const Status answered = client_->AwaitAnswers();
  return answered.ok() ? *added : answered;
}

// Until it is discharged nothing is done, whatever its client hears; with its connection it is
// rolled back (TXN-16).
Status RecordedAmqp::Run(Exchange& exchange, const Receiving& receiving, const Got& got,
                         const v1::Message& message, bool rolls_back) {
  Begin(exchange.settle);
  Status status = Add(exchange, receiving, got, message);
  const bool is_gone = IsGone(status);
  if (is_gone) {
    status = {ErrorCode::kServiceCommunicationProblem, "the broker is gone"};
  } else {
    const bool fails = rolls_back || !status.ok();
    const Status ended = Tell(DischargeMessage(exchange.id, fails)).status();
    if (!fails || IsGone(ended)) status = ended;
    if (fails && !IsGone(ended)) status = RolledBack();
    // What was to be undone is not done, whether or not anybody heard that.
    if (fails && IsGone(ended)) status = {ended.code(), ended.message()};
  }
  life_.recorder.End(exchange.settle, status);
  if (!exchange.settle.is_unknown()) Record(exchange, 0, life_.recorder);
  if (status.ok()) life_.progress.NoteAcknowledged();
  return status;
}

}  // namespace wharf::crash
