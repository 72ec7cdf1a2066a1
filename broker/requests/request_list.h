// RequestList: everything that can be asked of the broker and is answered once.
//
// A new request is a struct with the type of its answer, a line here, and a Plan of the engine's;
// whatever must hold of all requests walks this list, a test among it.
#pragma once

#include "broker/requests/access_requests.h"
#include "broker/requests/check_requests.h"
#include "broker/requests/entity_requests.h"
#include "broker/requests/job_requests.h"
#include "broker/requests/number_requests.h"
#include "broker/requests/peek_requests.h"
#include "broker/requests/receive_requests.h"
#include "broker/requests/rule_requests.h"
#include "broker/requests/scheduled_requests.h"
#include "broker/requests/send_requests.h"
#include "broker/requests/session_requests.h"
#include "broker/requests/settle_requests.h"
#include "broker/requests/trace_requests.h"
#include "broker/requests/transaction_requests.h"

namespace wharf {

template <typename...>
struct TypeList {};

using RequestList = TypeList<
    // Messages.
    SendRequest, SettleRequest, RenewLockRequest, ListLocksRequest, PeekRequest, PeekBodyRequest,
    TraceRequest, ReadBodyChunkRequest,
    // Messages by their numbers.
    ReceiveDeferredRequest, UndeferRequest, ReceiveOneRequest, SettleOneRequest,
    DeleteOldestRequest, ExportOneRequest,
    // Scheduled messages.
    CancelScheduledRequest, RescheduleRequest, ActivateScheduledRequest, ListScheduledRequest,
    // Sessions.
    RenewSessionRequest, ReleaseSessionRequest, ForceReleaseSessionRequest, GetSessionStateRequest,
    SetSessionStateRequest, ListSessionsRequest, ListDeepestSessionsRequest,
    // Transactions.
    RunTransactionRequest, BeginTransactionRequest, AddToTransactionRequest,
    CommitTransactionRequest, RollBackTransactionRequest, GetTransactionRequest,
    // Entities.
    CreateEntityRequest, UpdateEntityRequest, GetEntityRequest, DeleteEntityRequest,
    GetNamespaceRequest, ListEntitiesRequest, ListSubscriptionsRequest, PurgeRequest,
    CheckEntityRequest,
    // Rules.
    AddRuleRequest, UpdateRuleRequest, RemoveRuleRequest, GetRuleRequest, ListRulesRequest,
    EvaluateRulesRequest, EvaluateRuleRequest,
    // Who may do what.
    CreateAccessRuleRequest, GetAccessRuleRequest, ListAccessRulesRequest, RotateAccessKeyRequest,
    RemoveAccessRuleRequest,
    // Jobs and time.
    BeginJobRequest, GetJobRequest, ListJobsRequest, CancelJobRequest, AwaitDueRequest>;

}  // namespace wharf
