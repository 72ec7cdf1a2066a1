// ReplyLinks: the links of a connection by which its client takes what a node answers: `$cbs`, or
// the `$management` of entities.
//
// An answer that is ready before its link has credit waits for it; whoever answers gives no credit
// for requests while too much waits. On the strand of the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "broker/doors/amqp/endpoint/connection.h"

namespace wharf::amqp {

class ReplyLinks {
 public:
  // It outlives this.
  explicit ReplyLinks(Connection& endpoint) : endpoint_(endpoint) {}

  void Add(LinkId link, SessionId session, const Attach& attach);
  bool Has(LinkId link) const { return takers_.contains(link); }
  std::size_t size() const { return takers_.size(); }
  void Forget(LinkId link);
  void ForgetSession(SessionId session);

  // Of a request that came by this session: the link that `reply_to` names, by its address or by
  // its name, for some clients give it no address; or the only one of the session. Nothing: nobody
  // hears what is answered.
  std::optional<LinkId> Find(SessionId session, const std::optional<std::string>& reply_to) const;
  // Told whether the whole answer was written, once it was, or its link went before; of what waits
  // when this goes nothing is told.
  using Ended = std::function<void(bool is_written)>;
  // Goes when its link has credit; not at all if the link is gone.
  void Push(
      LinkId link, std::string message, Ended ended = [](bool) {});
  void OnCredit(const CreditGiven& credit);
  // There is room again.
  void SendAll();

  // What waits.
  std::size_t answers() const;
  std::size_t bytes() const;

 private:
  struct Answer {
    std::string message;
    Ended ended;
  };
  struct Taker {
    SessionId session;
    std::string name;
    std::string address;
    std::deque<Answer> answers{};
    // Of the first one.
    std::size_t sent = 0;
    std::uint32_t next_tag = 0;
    bool is_draining = false;
  };

  void Send(LinkId id, Taker& taker);
  // They will not be written.
  static void Drop(const Taker& taker);

  Connection& endpoint_;
  absl::flat_hash_map<LinkId, Taker> takers_;
};

}  // namespace wharf::amqp
