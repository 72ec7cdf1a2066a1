// ReplyLinks: the links of a connection by which its client takes what a node answers: `$cbs`, or
// the `$management` of entities.
//
// An answer that is ready before its link has credit waits for it; whoever answers gives no credit
// for requests while too much waits. What is too large to wait in memory comes piece by piece, each
// when the one before it is written. On the strand of the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "broker/doors/amqp/endpoint/connection.h"
#include "storage/base/status.h"

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
  // What comes behind the beginning of an answer: the next piece, and whether it is the last one.
  // Asked for when the one before it is written, and told later, on the strand.
  struct Piece {
    std::string bytes;
    bool is_last = false;
  };
  using Tell = std::function<void(Result<Piece> piece)>;
  struct Rest {
    std::function<void(Tell tell)> read;
    // There is no more, and the link is forgotten: whoever pushed the answer ends it, for half an
    // answer must not pass for one.
    std::function<void(const Status& why)> broken;
  };
  void PushBegin(LinkId link, std::string begin, Rest rest, Ended ended);
  void OnCredit(const CreditGiven& credit);
  // There is room again.
  void SendAll();

  // What waits.
  std::size_t answers() const;
  std::size_t bytes() const;

 private:
  struct Answer {
    // Its number here, which no other one has.
    std::uint64_t number = 0;
    // All of it; or the piece that is written now.
    std::string message;
    Ended ended;
    // Of one that comes in pieces, until the last one is there.
    std::optional<Rest> rest{};
    bool is_reading = false;
  };
  struct Taker {
    SessionId session;
    std::string name;
    std::string address;
    std::deque<Answer> answers{};
    // Of the message of the first one.
    std::size_t sent = 0;
    std::uint32_t next_tag = 0;
    bool is_draining = false;
  };

  void Add(LinkId link, Answer answer);
  void Send(LinkId id, Taker& taker);
  // False: there is no room for more of the first answer, or nothing more of it yet.
  bool SendFirst(LinkId id, Link& link, Taker& taker);
  void ReadMore(LinkId id, Answer& answer);
  void OnPiece(LinkId id, std::uint64_t number, Result<Piece> piece);
  // They will not be written.
  static void Drop(const Taker& taker);

  Connection& endpoint_;
  absl::flat_hash_map<LinkId, Taker> takers_;
  std::uint64_t last_number_ = 0;
};

}  // namespace wharf::amqp
