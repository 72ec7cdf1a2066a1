// Need: which right each request takes, and on what (SEC-20 to SEC-25). One table; a request
// without a line in it does not compile.
//
// Read by the pipeline, for every door, and by the tests that ask everything as everybody.
#pragma once

#include <cstdint>
#include <optional>

#include "broker/access/rights.h"
#include "broker/requests/aside_requests.h"
#include "broker/requests/request_list.h"

namespace wharf {

// What a right is needed on.
enum class On : std::uint8_t {
  kEntity,     // What the request is about, by its path.
  kNamespace,  // All that there is.
  kOwn,        // What its caller began itself; Manage on the namespace: what anybody began.
  kParts,      // Of a transaction: for each operation the right that it takes, on its entity.
  kNothing,    // Any token that holds is enough.
};

struct Need {
  On on = On::kNamespace;
  // Absent: it depends on the request (kParts), or none is needed.
  std::optional<access::Right> right{};
};

namespace needs {
inline constexpr Need kSend{On::kEntity, access::Right::kSend};
inline constexpr Need kListen{On::kEntity, access::Right::kListen};
inline constexpr Need kManage{On::kEntity, access::Right::kManage};
inline constexpr Need kListenAll{On::kNamespace, access::Right::kListen};
inline constexpr Need kManageAll{On::kNamespace, access::Right::kManage};
inline constexpr Need kOwn{On::kOwn};
inline constexpr Need kParts{On::kParts};
inline constexpr Need kToken{On::kNothing};
}  // namespace needs

// Of a request that has no line below.
template <typename Request>
struct HasNoNeed;
template <typename Request>
inline constexpr Need kNeed = HasNoNeed<Request>::kIsNotInTheTable;

// Messages.
template <>
inline constexpr Need kNeed<SendRequest> = needs::kSend;
template <>
inline constexpr Need kNeed<SettleRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<RenewLockRequest> = needs::kListen;
// It shows where others come from.
template <>
inline constexpr Need kNeed<ListLocksRequest> = needs::kManage;
template <>
inline constexpr Need kNeed<PeekRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<PeekBodyRequest> = needs::kListen;
// Without an entity it is about all: the path of the namespace is empty.
template <>
inline constexpr Need kNeed<TraceRequest> = needs::kListen;
// No client names a body: a door asks for what was delivered to it.
template <>
inline constexpr Need kNeed<ReadBodyChunkRequest> = needs::kToken;

// Messages by their numbers.
template <>
inline constexpr Need kNeed<ReceiveDeferredRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<UndeferRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<ReceiveOneRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<SettleOneRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<DeleteOldestRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<ExportOneRequest> = needs::kListen;

// Scheduled messages.
template <>
inline constexpr Need kNeed<CancelScheduledRequest> = needs::kSend;
template <>
inline constexpr Need kNeed<RescheduleRequest> = needs::kSend;
template <>
inline constexpr Need kNeed<ActivateScheduledRequest> = needs::kSend;
template <>
inline constexpr Need kNeed<ListScheduledRequest> = needs::kListen;

// Sessions.
template <>
inline constexpr Need kNeed<RenewSessionRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<ReleaseSessionRequest> = needs::kListen;
// It takes from others what they hold.
template <>
inline constexpr Need kNeed<ForceReleaseSessionRequest> = needs::kManage;
template <>
inline constexpr Need kNeed<GetSessionStateRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<SetSessionStateRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<ListSessionsRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<ListDeepestSessionsRequest> = needs::kListen;

// Transactions.
template <>
inline constexpr Need kNeed<RunTransactionRequest> = needs::kParts;
template <>
inline constexpr Need kNeed<BeginTransactionRequest> = needs::kOwn;
template <>
inline constexpr Need kNeed<AddToTransactionRequest> = needs::kParts;
template <>
inline constexpr Need kNeed<CommitTransactionRequest> = needs::kOwn;
template <>
inline constexpr Need kNeed<RollBackTransactionRequest> = needs::kOwn;
template <>
inline constexpr Need kNeed<GetTransactionRequest> = needs::kOwn;

// Entities. Who names another one to forward to must manage that, too.
template <>
inline constexpr Need kNeed<CreateEntityRequest> = needs::kManage;
template <>
inline constexpr Need kNeed<UpdateEntityRequest> = needs::kManage;
template <>
inline constexpr Need kNeed<GetEntityRequest> = needs::kManage;
template <>
inline constexpr Need kNeed<DeleteEntityRequest> = needs::kManage;
template <>
inline constexpr Need kNeed<GetNamespaceRequest> = needs::kManageAll;
template <>
inline constexpr Need kNeed<ListEntitiesRequest> = needs::kManageAll;
template <>
inline constexpr Need kNeed<ListSubscriptionsRequest> = needs::kManage;
template <>
inline constexpr Need kNeed<PurgeRequest> = needs::kManage;
template <>
inline constexpr Need kNeed<CheckEntityRequest> = needs::kManage;

// Rules of subscriptions.
template <>
inline constexpr Need kNeed<AddRuleRequest> = needs::kManage;
template <>
inline constexpr Need kNeed<UpdateRuleRequest> = needs::kManage;
template <>
inline constexpr Need kNeed<RemoveRuleRequest> = needs::kManage;
template <>
inline constexpr Need kNeed<GetRuleRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<ListRulesRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<EvaluateRulesRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<EvaluateRuleRequest> = needs::kToken;

// Who may do what.
template <>
inline constexpr Need kNeed<CreateAccessRuleRequest> = needs::kManage;
template <>
inline constexpr Need kNeed<GetAccessRuleRequest> = needs::kManage;
template <>
inline constexpr Need kNeed<ListAccessRulesRequest> = needs::kManage;
template <>
inline constexpr Need kNeed<RotateAccessKeyRequest> = needs::kManage;
template <>
inline constexpr Need kNeed<RemoveAccessRuleRequest> = needs::kManage;

// Jobs. One that moves messages to another entity takes Send there, too.
template <>
inline constexpr Need kNeed<BeginJobRequest> = needs::kManage;
template <>
inline constexpr Need kNeed<GetJobRequest> = needs::kOwn;
template <>
inline constexpr Need kNeed<ListJobsRequest> = needs::kOwn;
template <>
inline constexpr Need kNeed<CancelJobRequest> = needs::kOwn;

// Time, and what the broker has done.
template <>
inline constexpr Need kNeed<AwaitDueRequest> = needs::kManageAll;
template <>
inline constexpr Need kNeed<AskClock> = needs::kToken;
template <>
inline constexpr Need kNeed<MoveClock> = needs::kManageAll;
template <>
inline constexpr Need kNeed<AskStatistics> = needs::kManageAll;

// Who is connected: it shows where others come from, and sends them away.
template <>
inline constexpr Need kNeed<ManageConnections> = needs::kManageAll;

// The cluster that the broker is kept by.
template <>
inline constexpr Need kNeed<AskCluster> = needs::kListenAll;
template <>
inline constexpr Need kNeed<ChangeCluster> = needs::kManageAll;

// Copies of everything, keys included.
template <>
inline constexpr Need kNeed<ManageBackups> = needs::kManageAll;

// Attachments.
template <>
inline constexpr Need kNeed<AttachRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<ReceiveRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<AcceptSessionRequest> = needs::kListen;
template <>
inline constexpr Need kNeed<UploadRequest> = needs::kSend;
template <>
inline constexpr Need kNeed<AwaitClosedRequest> = needs::kSend;

}  // namespace wharf
