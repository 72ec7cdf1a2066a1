// Asker: who asks by a call or a stream, and what shows that it may: its metadata `authorization`,
// and where it has none the certificate of its client. For what comes from inside the daemon
// another door vouches (common/vouched_callers.h), and nothing else is looked at.
//
// Used when a call or a stream begins, before anything of it is read.
#pragma once

#include <string>

#include <grpcpp/grpcpp.h>

#include "broker/doors/common/call_gate.h"
#include "broker/doors/common/vouched_callers.h"
#include "broker/doors/grpc/errors.h"
#include "broker/requests/caller.h"
#include "storage/base/status.h"

namespace wharf {

class Asker {
 public:
  // The context outlives it.
  Asker(const VouchedCallers& vouched, const grpc::ServerContextBase& context);
  // One that cannot come from inside.
  explicit Asker(const grpc::ServerContextBase& context) : Asker(nullptr, context) {}

  // Where it comes from.
  const std::string& peer() const { return peer_; }
  // Through which door it came: this one, if no other vouches for it.
  Door door() const { return vouched_ == nullptr ? Door::kGrpc : vouched_->door; }
  // By which name it is told of: that which another door gave it, or a new one.
  const TrackingId& tracking_id() const { return tracking_id_; }
  // To which trace it says that it belongs.
  const TraceId& trace_id() const { return trace_id_; }

  // Ok where nobody has to prove anything. A refusal is counted and logged.
  Status Prove(CallGate::Ticket& ticket, const AboutRequest& about) const;
  // Why it is refused if its ticket is not valid: with where the broker is, if it proves that it
  // may know. Nothing is counted: the broker itself would say whether the proof is good.
  Status RefusalOf(CallGate::Ticket& ticket) const;

 private:
  Asker(VouchedCallers::CallerPtr vouched, const grpc::ServerContextBase& context);

  Status ProveItself(CallGate::Ticket& ticket) const;

  const grpc::ServerContextBase& context_;
  // Null: nobody vouches for who calls.
  const VouchedCallers::CallerPtr vouched_;
  const std::string peer_;
  const TrackingId tracking_id_;
  const TraceId trace_id_;
};

}  // namespace wharf
