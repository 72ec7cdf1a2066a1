#include "broker/doors/grpc/services/clock_service.h"

#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/services/call.h"

namespace wharf {
namespace {

template <typename Call>
void AnswerTime(Call& call, const Result<Timestamp>& time) {
  if (!time.ok()) return call.Fail(time.status());
  ToProto(*time, call.response().mutable_time());
  call.Succeed();
}

}  // namespace

ClockService::ClockService(const Gates& gates)
    : RawService(v1::Clock::service_full_name()), gates_(gates) {
  Offer(Unary("Get", &ClockService::Get), Unary("Advance", &ClockService::Advance));
}

UnaryReactor* ClockService::Get(grpc::CallbackServerContext* context, grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetClockRequest, v1::ClockTime>;
  return Call::Start(gates_, context, response,
                     [](Call& call) { AnswerTime(call, call.broker().clock.Now(call.caller())); });
}

UnaryReactor* ClockService::Advance(grpc::CallbackServerContext* context,
                                    grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::AdvanceClockRequest, v1::ClockTime>;
  return Call::Start(gates_, context, response, [](Call& call) {
    Result<Duration> by = DurationFromProto("by", call.request().by());
    if (!by.ok()) return call.Fail(by.status());
    call.broker().clock.Advance(*by, call.caller(),
                                [&call](const Result<Timestamp>& time) { AnswerTime(call, time); });
  });
}

}  // namespace wharf
