// Operation: one request to the `$management` of an entity on its way: what it says, what it asks
// the broker, and its answer. Made by ManagementNode, done by the functions of operations.h; on the
// strand of the connection.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/doors/amqp/entities/link_world.h"
#include "broker/doors/amqp/entities/management_message.h"

namespace wharf::amqp {

class Operation final : public std::enable_shared_from_this<Operation> {
 public:
  // What the connection holds of an entity, by the session's id; null: it holds no such session.
  using FindSession =
      std::function<const AcceptedSession*(const std::string& path, const std::string& id)>;
  // The end of it; once.
  using Answered = std::function<void(const ManagementRequest&, const ManagementReply&)>;

  Operation(LinkWorld world, access::PermitPtr permit, ManagementRequest request,
            FindSession find_session, Answered answered);

  const std::string& path() const { return world_.path; }
  EntityRef entity() const { return {world_.path}; }
  const std::string& name() const { return request_.operation; }

  // --- what it says: nothing (or an empty list) if there is none of this type

  template <typename T>
  const T* Find(std::string_view key) const {
    const Value* const found = request_.body.FindString(key);
    return found == nullptr ? nullptr : found->As<T>();
  }
  std::optional<std::string> Text(std::string_view key) const;
  // Of any integer type.
  std::optional<std::int64_t> Number(std::string_view key) const;
  // Of an array, or of a list.
  const std::vector<Value>& Items(std::string_view key) const;
  TokenList Tokens() const;
  Numbers SequenceNumbers() const;
  // Of the session that `session-id` names, which this connection holds.
  Result<LockToken> HeldSession() const;

  // --- what it does

  // `bytes`: about as much as the request and its answer have in memory. A failure is the answer;
  // else `then` goes on.
  template <typename Request, typename Then>
  void Ask(Request request, std::size_t bytes, Then then) {
    AskFor(world_, caller_, std::move(request), bytes,
           [self = shared_from_this(),
            then = std::move(then)](const Result<typename Request::Response>& answer) mutable {
             if (!answer.ok()) return self->Fail(answer.status());
             then(*self, *answer);
           });
  }
  void Done(Map body = {});
  // There is none of what was asked for.
  void Nothing();
  void Fail(const Status& why);

 private:
  const LinkWorld world_;
  const Caller caller_;
  const ManagementRequest request_;
  const FindSession find_session_;
  const Answered answered_;
};

// The broker's time of a client's; beyond all time it is never.
Timestamp TimeFrom(TimestampMs time);
TimestampMs MsFrom(Timestamp time);

// An entry of a body.
inline void Put(Map& map, std::string_view key, Value value) {
  map.Add(Value(std::string(key)), std::move(value));
}

}  // namespace wharf::amqp
