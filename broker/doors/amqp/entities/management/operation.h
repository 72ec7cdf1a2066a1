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

#include "broker/doors/amqp/entities/links/link_world.h"
#include "broker/doors/amqp/entities/management/management_message.h"
#include "broker/doors/amqp/entities/management/unheard_locks.h"
#include "broker/doors/amqp/entities/management/walks.h"

namespace wharf::amqp {

class Operation final : public std::enable_shared_from_this<Operation> {
 public:
  // What the connection holds of an entity, by the session's id; null: it holds no such session.
  using FindSession =
      std::function<const AcceptedSession*(const std::string& path, const std::string& id)>;
  // What all operations of a connection share.
  struct Node {
    const FindSession find_session;
    Walks walks;
    const std::shared_ptr<UnheardLocks> locks;
  };
  // The end of it; once.
  using Answered = std::function<void(const ManagementRequest&, const ManagementReply&)>;

  // The node is there whenever its connection is.
  Operation(LinkWorld world, access::PermitPtr permit, ManagementRequest request,
            std::optional<Binary> txn_id, Node& node, Answered answered);

  const std::string& path() const { return world_.path; }
  // Not ok: what it says could not be read.
  const Status& wrong() const { return request_.wrong; }
  std::size_t request_bytes() const { return request_.bytes; }
  EntityRef entity() const { return {world_.path}; }
  bool is_partitioned() const { return world_.requests.Find(path()).is_partitioned; }
  // What is done in a transaction is done with its commit.
  bool is_in_transaction() const { return txn_id_.has_value(); }
  const std::string& name() const { return request_.operation; }
  const LinkWorld& world() const { return world_; }
  const Caller& caller() const { return caller_; }

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
  // Of the session that `session-id` names, which this connection holds. If it does not, that of no
  // session: the broker refuses it, and tells who has no right to ask nothing but that.
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
  // The same for a page, whose walk may go on with the next one: in its turn, and not when the time
  // of its client is over, or its link is gone.
  template <typename Request, typename Then>
  void AskPage(Request request, std::size_t bytes, Then then) {
    node_.walks.Enter([self = shared_from_this(), request = std::move(request), bytes,
                       then = std::move(then)]() mutable {
      self->AskPageNow(std::move(request), bytes, std::move(then));
    });
  }
  // The same for what locks messages: they go back if the client does not hear of them. Behind a
  // failure `refused` goes on.
  template <typename Then, typename Refused>
  void AskForLocks(ReceiveDeferredRequest request, std::size_t bytes, Then then, Refused refused) {
    auto locked = std::make_shared<UnheardLocks::Id>(UnheardLocks::kNone);
    const bool is_locked = request.mode == ReceiveMode::kPeekLock;
    AskFor(
        world_, caller_, std::move(request), bytes,
        [self = shared_from_this(), locked, then = std::move(then),
         refused = std::move(refused)](const LocksAnswer& answer) {
          if (!answer.ok()) return refused(*self, answer.status());
          self->locked_ = *locked;
          then(*self, *answer);
        },
        [locks = node_.locks, locked, entity = entity(), is_locked](const LocksAnswer& answer) {
          if (is_locked && answer.ok()) *locked = locks->Add(entity, TokensOf(*answer));
        });
  }
  // Of one in a transaction: `then` goes on when it is a part of that.
  template <typename What, typename Then>
  void AddToTransaction(What what, std::size_t bytes, Then then) {
    AddAny(wharf::Operation{.path = path(), .what = std::move(what)}, bytes,
           [self = shared_from_this(), then = std::move(then)] { then(*self); });
  }
  void Done(Map body = {});
  void Done(LargeReplyMessage large);
  // There is none of what was asked for.
  // Some clients want to hear what it is that there is none of.
  void Nothing(std::string condition = {});
  void Fail(const Status& why);

 private:
  using LocksAnswer = Result<ReceiveDeferredRequest::Response>;

  template <typename Request, typename Then>
  void AskPageNow(Request request, std::size_t bytes, Then then) {
    if (const Status over = CheckWalk(); !over.ok()) {
      node_.walks.Leave();
      return Fail(over);
    }
    AskFor(world_, caller_, std::move(request), bytes,
           [self = shared_from_this(),
            then = std::move(then)](const Result<typename Request::Response>& answer) mutable {
             self->node_.walks.Leave();
             if (!answer.ok()) return self->Fail(answer.status());
             then(*self, *answer);
           });
  }
  void AddAny(wharf::Operation what, std::size_t bytes, std::function<void()> then);
  // Whether somebody still waits for what a walk finds.
  Status CheckWalk() const;
  static TokenList TokensOf(const std::vector<wharf::Delivered>& delivered);
  void Answer(ManagementReply reply);

  const LinkWorld world_;
  const Caller caller_;
  const ManagementRequest request_;
  const std::optional<Binary> txn_id_;
  const Connection::Instant give_up_at_;
  Node& node_;
  const Answered answered_;
  UnheardLocks::Id locked_ = UnheardLocks::kNone;
};

// The broker's time of a client's; beyond all time it is never.
Timestamp TimeFrom(TimestampMs time);
TimestampMs MsFrom(Timestamp time);

// An entry of a body.
inline void Put(Map& map, std::string_view key, Value value) {
  map.Add(Value(std::string(key)), std::move(value));
}

}  // namespace wharf::amqp
