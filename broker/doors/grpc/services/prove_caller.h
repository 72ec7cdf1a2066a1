// ProveCaller: what a call says of who may ask it: its metadata `authorization`, and where it has
// none the certificate of its client. For a call from inside the daemon another door vouches
// (common/vouched_callers.h), and nothing else is looked at.
//
// Used when a call or a stream begins, before anything of it is read.
#pragma once

#include <grpcpp/grpcpp.h>

#include "broker/doors/common/call_gate.h"
#include "broker/doors/common/vouched_callers.h"
#include "broker/doors/grpc/errors.h"
#include "storage/base/status.h"

namespace wharf {

// Null: nobody vouches for who calls.
VouchedCallers::CallerPtr FindVouched(const VouchedCallers& vouched,
                                      const grpc::ServerContextBase& context);

// Ok where nobody has to prove anything. A refusal is counted and logged.
Status ProveCaller(CallGate::Ticket& ticket, const grpc::ServerContextBase& context,
                   const AboutRequest& about);
// The same of one for whom somebody vouches.
Status ProveVouched(CallGate::Ticket& ticket, const Caller& vouched);

// Why a call whose ticket is not valid is refused: with where the broker is, if the caller proves
// that it may know. Nothing is counted: the broker itself would say whether the proof is good.
Status RefusalFor(CallGate::Ticket& ticket, const grpc::ServerContextBase& context);
Status RefusalForVouched(CallGate::Ticket& ticket, const Caller& vouched);

}  // namespace wharf
