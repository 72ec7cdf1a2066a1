// RouteMover: takes messages from one queue and, in one transaction, completes them there and sends
// them to another; now and then it also publishes to the topic in it.
//
// Lives through all lives of the daemon; Run is called anew for each, on a thread of its own, and
// returns when the daemon is gone. After the next start the broker must tell how every transaction
// ended; what it tells goes into the ledger, which is then held against what lies where.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/crash/routes/route_life.h"
#include "tools/crash/routes/route_message_maker.h"

namespace wharf::crash {

// Whether the answer to a commit shows that locks ended before their time. They were asked for not
// longer ago than that when the answer came.
bool ShowsLostLocks(const Status& committed, Duration since_asked);

class RouteMover {
 public:
  struct Counts {
    std::uint64_t committed = 0;
    std::uint64_t rolled_back = 0;
    std::uint64_t refused = 0;
    std::uint64_t unknown = 0;
    std::uint64_t unknown_committed = 0;
  };

  // Movers with different clients may be at work at the same time.
  explicit RouteMover(std::uint32_t client) : client_(client), messages_(client) {}

  void Run(RouteLife& life, Dice& dice);
  // Before anybody works.
  Status Resolve(client::Client& client, RouteLedger& ledger);

  const Counts& counts() const { return counts_; }

 private:
  struct Move {
    std::vector<MessageId> ids;
    std::optional<RouteLedger::SendingIndex> published;
    v1::RunTransactionRequest request;
    Fate fate = Fate::kUnknown;
  };

  // The messages were asked for at that time.
  Status MoveAll(RouteLife& life, client::Client& client, const v1::ReceiveResponse& received,
                 std::chrono::steady_clock::time_point asked, Dice& dice);
  Move MakeMove(const v1::ReceiveResponse& received);
  void Publish(RouteLedger& ledger, Move& move, Dice& dice);
  Status Commit(RouteLife& life, client::Client& client, Move move, Dice& dice);
  Status RollBack(client::Client& client, Move move);
  std::string NewTransactionId();
  void Note(RouteLedger& ledger, const Move& move, bool is_committed);
  static void CheckOutcome(RouteLedger& ledger, const Move& move, bool is_committed);

  const std::uint32_t client_;
  RouteMessageMaker messages_;
  std::uint64_t last_transaction_ = 0;
  // Of the last life, in their order.
  std::vector<Move> moves_;
  Counts counts_;
};

}  // namespace wharf::crash
