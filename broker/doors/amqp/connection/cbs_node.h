// CbsNode: the node `$cbs` of one connection: links that bring tokens, and links that take what
// became of them (SEC-8).
//
// An answer that is ready before its link has credit waits for it. What waits is bounded: a client
// gets no credit for requests whose answers it does not take. Owned by a ServedConnection, on its
// strand; the answers are those of Claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "broker/doors/amqp/connection/byte_budget.h"
#include "broker/doors/amqp/connection/cbs_message.h"
#include "broker/doors/amqp/connection/claims.h"
#include "broker/doors/amqp/connection/reply_links.h"
#include "broker/doors/amqp/endpoint/connection.h"
#include "storage/base/time.h"

namespace wharf::amqp {

class CbsNode {
 public:
  // Of the machine.
  using WallClock = std::function<Timestamp()>;

  // Told of what is wrong with a request by itself.
  using NoteFault = std::function<void(const Error& error)>;

  // All outlive it.
  CbsNode(Connection& endpoint, Claims& claims, ByteBudget& partial_bytes, const WallClock& wall,
          NoteFault note_fault)
      : endpoint_(endpoint),
        claims_(claims),
        partial_bytes_(partial_bytes),
        wall_(wall),
        note_fault_(std::move(note_fault)),
        replies_(endpoint) {}

  // The client attaches a link to `$cbs`, and is answered.
  void Attach(const Attached& attached);
  bool Has(LinkId link) const { return askers_.contains(link) || replies_.Has(link); }
  void OnDelivered(const Delivered& part);
  void OnCredit(const CreditGiven& credit);
  // There is room again.
  void SendAll();
  // The link has ended, or its session.
  void Forget(LinkId link);
  void ForgetSession(SessionId session);
  // The connection closes: nothing is asked any more.
  void ForgetAskers();

 private:
  // So that what waits is bounded: so many links times so many answers.
  static constexpr std::size_t kLinksMax = 16;
  // Requests that a client may have sent and not been answered, of one link.
  static constexpr std::uint32_t kCredit = 100;

  // Of whom requests come.
  struct Asker {
    SessionId session;
    std::string message{};
    bool is_too_large = false;
  };
  void Collect(Asker& asker, const Delivered& part);
  DeliveryState Handle(const Asker& asker);
  // What is wrong with the request, whoever asks it.
  static Status Check(const CbsRequest& request);
  void Answer(SessionId session, const CbsRequest& request, std::string message);
  // Takes as many more as answers have left.
  void GiveCredit();

  Connection& endpoint_;
  Claims& claims_;
  ByteBudget& partial_bytes_;
  const WallClock& wall_;
  const NoteFault note_fault_;
  absl::flat_hash_map<LinkId, Asker> askers_;
  ReplyLinks replies_;
};

}  // namespace wharf::amqp
