// Visit: one request to the console on its way in: it holds the way to the broker from its head to
// the last byte of its answer, and what its client has proven. Made by the ConsoleService; any
// thread.
#pragma once

#include "broker/doors/common/call_gate.h"
#include "broker/doors/http/console/credentials.h"
#include "broker/doors/http/console/sessions.h"
#include "broker/doors/http/exchange.h"
#include "broker/requests/caller.h"

namespace wharf::console {

class Visit {
 public:
  // The gate outlives it.
  Visit(CallGate& gate, const HttpRequest& head);

  // Null: nobody has to prove anything.
  access::Guard* guard() const { return ticket_.guard(); }
  const access::PermitPtr& permit() const { return ticket_.permit(); }
  const TrackingId& tracking_id() const { return tracking_id_; }

  // Why it may not ask: there is no broker, or nothing is proven. Once.
  Status Admit(const Credentials& credentials, Sessions& sessions);
  // The same of one who comes to prove something.
  Status AdmitStranger() const;
  // Counts and logs a refusal of what this client tried to prove.
  void NoteRefusal(const Status& refusal, std::string_view token = {}) const;
  // As the broker sees it: one who waits for an answer, or who has a stream for as long as it
  // likes.
  Caller caller() const;
  Caller caller_of_stream() const;

 private:
  Status Prove(const Credentials& credentials, Sessions& sessions);

  const TrackingId tracking_id_ = NewTrackingId();
  const TraceId trace_id_;
  const std::string peer_;
  CallGate::Ticket ticket_;
};

}  // namespace wharf::console
