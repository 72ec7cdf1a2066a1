#include "broker/doors/grpc/services/sessions_service.h"

#include <utility>

#include "broker/doors/common/unheard.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_session.h"
#include "broker/doors/grpc/convert/page_size.h"
#include "broker/doors/grpc/convert/receive_answer.h"
#include "broker/doors/grpc/convert/transaction_part.h"
#include "broker/doors/grpc/services/call.h"

namespace wharf {
namespace {

constexpr std::uint32_t kDeepestDefault = 10;
constexpr std::uint32_t kDeepestMax = 100;

using AcceptCall = UnaryCall<v1::AcceptSessionRequest, v1::AcceptedSession>;

void AnswerAccept(AcceptCall& call, const Result<AcceptedSession>& session) {
  if (!session.ok()) return call.Fail(call.lapse().ok() ? session.status() : call.lapse());
  if (call.is_cancelled()) {
    ReleaseUnheardSession(call.requests(), call.caller_itself(), call.entity(), session->token);
    return call.Fail({ErrorCode::kServiceCommunicationProblem, "the call was cancelled"});
  }
  ToProto(*session, &call.response());
  call.Succeed();
}

}  // namespace

SessionsService::SessionsService(const Gates& gates)
    : RawService(v1::Sessions::service_full_name()), gates_(gates) {
  Offer(Unary("AcceptSession", &SessionsService::AcceptSession),
        Unary("RenewSessionLock", &SessionsService::RenewSessionLock),
        Unary("ReleaseSession", &SessionsService::ReleaseSession),
        Unary("GetSessionState", &SessionsService::GetSessionState),
        Unary("SetSessionState", &SessionsService::SetSessionState),
        Unary("ListSessions", &SessionsService::ListSessions),
        Unary("ListDeepestSessions", &SessionsService::ListDeepestSessions),
        Unary("ForceReleaseSession", &SessionsService::ForceReleaseSession));
}

UnaryReactor* SessionsService::AcceptSession(grpc::CallbackServerContext* context,
                                             grpc::ByteBuffer* response) {
  return AcceptCall::Start(gates_, context, response, [](AcceptCall& call) {
    call.entity_path = call.request().entity_path();
    Result<SessionChoice> choice = FromProto(call.request());
    if (!choice.ok()) return call.Fail(choice.status());
    call.CancelWhenGone(call.requests().Wait(
        call.caller(), AcceptSessionRequest{call.entity(), *std::move(choice)},
        [&call](const Result<AcceptedSession>& session) { AnswerAccept(call, session); }));
  });
}

UnaryReactor* SessionsService::RenewSessionLock(grpc::CallbackServerContext* context,
                                                grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::RenewSessionLockRequest, v1::RenewSessionLockResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Result<LockToken> token = SessionTokenFromProto(call.request().session_lock_token());
    if (!token.ok()) return call.Fail(token.status());
    call.requests().Ask(call.caller(), RenewSessionRequest{call.entity(), *token},
                        [&call](const Result<Timestamp>& until) {
                          if (!until.ok()) return call.Fail(until.status());
                          ToProto(*until, call.response().mutable_locked_until());
                          call.Succeed();
                        });
  });
}

UnaryReactor* SessionsService::ReleaseSession(grpc::CallbackServerContext* context,
                                              grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ReleaseSessionRequest, v1::ReleaseSessionResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Result<LockToken> token = SessionTokenFromProto(call.request().session_lock_token());
    if (!token.ok()) return call.Fail(token.status());
    call.requests().Ask(call.caller(), ReleaseSessionRequest{call.entity(), *token},
                        AnswerDone(call));
  });
}

UnaryReactor* SessionsService::GetSessionState(grpc::CallbackServerContext* context,
                                               grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetSessionStateRequest, v1::GetSessionStateResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Result<LockToken> token = SessionTokenFromProto(call.request().session_lock_token());
    if (!token.ok()) return call.Fail(token.status());
    call.requests().Ask(call.caller(), GetSessionStateRequest{call.entity(), *token},
                        [&call](Result<std::optional<std::string>> state) {
                          if (!state.ok()) return call.Fail(state.status());
                          if (*state) call.response().set_state(**std::move(state));
                          call.Succeed();
                        });
  });
}

UnaryReactor* SessionsService::SetSessionState(grpc::CallbackServerContext* context,
                                               grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::SetSessionStateRequest, v1::SetSessionStateResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    if (IsTransactionPart(call)) return AddToTransaction(call);
    const Result<LockToken> token = SessionTokenFromProto(call.request().session_lock_token());
    if (!token.ok()) return call.Fail(token.status());
    std::optional<std::string> state;
    if (call.request().has_state()) state = std::move(*call.request().mutable_state());
    call.requests().Ask(
        call.caller(),
        SetSessionStateRequest{call.entity(), *token, std::move(state),
                               TokensFromProto(call.request().complete_lock_tokens())},
        AnswerDone(call));
  });
}

UnaryReactor* SessionsService::ListSessions(grpc::CallbackServerContext* context,
                                            grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ListSessionsRequest, v1::ListSessionsResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    Result<ListSessionsRequest> asked = FromProto(call.request());
    if (!asked.ok()) return call.Fail(asked.status());
    call.requests().Ask(call.caller(), *std::move(asked), [&call](const Result<SessionPage>& page) {
      if (!page.ok()) return call.Fail(page.status());
      ToProto(*page, &call.response());
      call.Succeed();
    });
  });
}

UnaryReactor* SessionsService::ListDeepestSessions(grpc::CallbackServerContext* context,
                                                   grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ListDeepestSessionsRequest, v1::ListDeepestSessionsResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Result<std::uint32_t> count =
        CountFromProto("max_sessions", call.request().max_sessions(), kDeepestDefault, kDeepestMax);
    if (!count.ok()) return call.Fail(count.status());
    call.requests().Ask(call.caller(), ListDeepestSessionsRequest{call.entity(), *count},
                        [&call](const Result<DeepestSessions>& deepest) {
                          if (!deepest.ok()) return call.Fail(deepest.status());
                          ToProto(*deepest, &call.response());
                          call.Succeed();
                        });
  });
}

UnaryReactor* SessionsService::ForceReleaseSession(grpc::CallbackServerContext* context,
                                                   grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ForceReleaseSessionRequest, v1::ForceReleaseSessionResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(call.caller(),
                        ForceReleaseSessionRequest{call.entity(), call.request().session_id()},
                        AnswerDone(call));
  });
}

}  // namespace wharf
