// Which connection holds what.

#include <utility>

#include "broker/doors/common/page_token.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/page_size.h"
#include "broker/doors/grpc/services/call.h"
#include "broker/doors/grpc/services/management_service.h"

namespace wharf {
namespace {

// Enough to find the line of a lock, too little to settle its message.
constexpr std::size_t kTokenEndBytes = 4;

void HolderToProto(const HolderInfo& holder, v1::LockHolder* proto) {
  proto->set_kind(holder.kind == HolderKind::kStream ? v1::LockHolder::KIND_STREAM
                                                     : v1::LockHolder::KIND_CALL);
  proto->set_peer(holder.peer);
  proto->set_is_at_limit(holder.is_at_limit);
}

void LockToProto(const LockInfo& lock, v1::LockProperties* proto) {
  proto->set_sequence_number(static_cast<std::int64_t>(lock.number.value()));
  const std::string token = lock.token.ToBytes();
  proto->set_lock_token_end(token.substr(token.size() - kTokenEndBytes));
  if (lock.since != kNever) ToProto(lock.since, proto->mutable_locked_since());
  if (lock.until != kNever) ToProto(lock.until, proto->mutable_locked_until());
  if (lock.session_id) proto->set_session_id(*lock.session_id);
  if (lock.holder) HolderToProto(*lock.holder, proto->mutable_holder());
}

}  // namespace

UnaryReactor* ManagementService::ListLocks(grpc::CallbackServerContext* context,
                                           grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ListLocksRequest, v1::ListLocksResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Result<std::uint32_t> count = PageSizeFromProto(call.request().page_size());
    if (!count.ok()) return call.Fail(count.status());
    const Result<LockPlace> after = LockPlaceFromPageToken(call.request().page_token());
    if (!after.ok()) return call.Fail(after.status());
    call.requests().Ask(call.caller(), ListLocksRequest{call.entity(), *after, *count},
                        [&call](const Result<LockPage>& page) {
                          if (!page.ok()) return call.Fail(page.status());
                          for (const LockInfo& lock : page->locks) {
                            LockToProto(lock, call.response().add_locks());
                          }
                          if (page->next)
                            call.response().set_next_page_token(PageTokenOf(*page->next));
                          call.Succeed();
                        });
  });
}

}  // namespace wharf
