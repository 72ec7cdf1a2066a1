#include "broker/doors/http/console/visit.h"

#include <chrono>
#include <string>

#include "broker/doors/http/trace_of.h"

namespace wharf::console {
namespace {

// A receive waits for five minutes at most.
constexpr Duration kPatience = std::chrono::minutes(6);

}  // namespace

Visit::Visit(CallGate& gate, const HttpRequest& head)
    : trace_id_(TraceOf(head)), peer_(head.peer), ticket_(gate.Enter(head.cut_off)) {
  // Its call hears itself that it is to end; this one is cut off if its client does not read.
  ticket_.OnClose([](const Status& /*reason*/) {});
}

Status Visit::Admit(const Credentials& credentials, Sessions& sessions) {
  Status proven = guard() == nullptr ? Status() : Prove(credentials, sessions);
  if (!ticket_.is_valid()) {
    return proven.ok() ? ticket_.refusal() : ticket_.refusal_of_strangers();
  }
  if (!proven.ok()) {
    NoteRefusal(proven,
                credentials.kind == Credentials::Kind::kToken ? credentials.text : std::string());
  }
  return proven;
}

Status Visit::AdmitStranger() const {
  if (ticket_.is_valid()) return {};
  return guard() == nullptr ? ticket_.refusal() : ticket_.refusal_of_strangers();
}

void Visit::NoteRefusal(const Status& refusal, std::string_view token) const {
  guard()->NoteRefusal(refusal, permit(), peer_, ToString(tracking_id_), token);
}

Caller Visit::caller() const {
  Caller caller = caller_of_stream();
  caller.patience = kPatience;
  return caller;
}

Caller Visit::caller_of_stream() const {
  return {.peer = peer_,
          .door = Door::kConsole,
          .tracking_id = tracking_id_,
          .trace_id = trace_id_,
          .permit = permit()};
}

Status Visit::Prove(const Credentials& credentials, Sessions& sessions) {
  switch (credentials.kind) {
    case Credentials::Kind::kNone:
      return {ErrorCode::kUnauthorized,
              "nothing is proven: send a shared access signature or a session as Authorization"};
    case Credentials::Kind::kToken:
      return ticket_.Prove(credentials.text);
    case Credentials::Kind::kCertificate:
      return ticket_.ProveCertificate(credentials.text);
    case Credentials::Kind::kSession:
      break;
  }
  const access::PermitPtr permit = sessions.Find(credentials.text);
  if (permit == nullptr) {
    return {ErrorCode::kUnauthorized, "the session is over, or there was none: sign in again"};
  }
  return ticket_.Accept(permit);
}

}  // namespace wharf::console
