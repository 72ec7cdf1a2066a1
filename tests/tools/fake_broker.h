// FakeBroker: a broker in this process that a test holds back, breaks, and asks what it was told.
//
// Serves SendStream, ReceiveStream, Send, Settle, RenewLock, Peek, RunTransaction and the clock's
// Get on a port of its own. Tests call it on their thread; the services run on gRPC's.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "wharf/v1/clock.grpc.pb.h"
#include "wharf/v1/messaging.grpc.pb.h"
#include "wharf/v1/transactions.grpc.pb.h"

namespace wharf::client {

class FakeBroker final : private v1::Messaging::Service {
 public:
  FakeBroker();
  ~FakeBroker() override;

  std::string address() const;

  // Sends. Receipts number the messages from 1.
  void HoldReceipts();
  void ReleaseReceipts();
  // Messages with this body are refused with QuotaExceeded.
  void RefuseBody(const std::string& body);
  // Waits for the request with this number, counted from 1, of all streams.
  v1::SendStreamRequest WaitForSend(std::size_t number);
  std::size_t send_count();

  // Receives. Messages wait with the numbers 1 to `count`; their tokens are TokenOf(number).
  void AddMessages(int count);
  // Said before the messages that wait, once there is credit: a session is accepted.
  void AcceptSession(const std::string& id);
  // Said behind them: it is not held any more.
  void EndSession(const std::string& id);
  // A message that travels as a header and chunks.
  void AddLargeMessage(const std::string& body);
  static std::string TokenOf(std::int64_t number);
  // Settling this token fails with MessageLockLost.
  void LoseLock(const std::string& token);
  // Settlements are not answered.
  void HoldSettlements();
  v1::ReceiveStreamRequest WaitForReceive(std::size_t number);

  // Single calls.
  v1::SettleRequest WaitForSettle(std::size_t number);
  // False if that takes too long.
  bool WaitForRenewals(const std::string& token, int count);
  int renewals(const std::string& token);

  // From now on another node leads, at this address; empty: it does not know which. Streams end.
  void Follow(const std::string& leader);
  void Lead();
  // Of calls and streams that began, also those that were refused.
  int asked_count();
  // Waits until there were so many.
  void WaitForAsked(int count);
  // The next call but those of Clock is taken, and its connection breaks before the answer.
  void LoseAnswer();
  // And leads no more from then on.
  void LoseAnswerAndLead();

  // Breaks every connection; none can be made until Mend.
  void Break();
  // From now on nothing is stored: the receipts say that the broker stops.
  void StopInOrder();
  // Ends every stream, saying that what has no receipt was not done.
  void EndInOrder();
  // After any of them: streams that come are served again.
  void Mend();

 private:
  using SendCall = grpc::ServerReaderWriter<v1::SendStreamResponse, v1::SendStreamRequest>;
  using ReceiveCall = grpc::ServerReaderWriter<v1::ReceiveStreamResponse, v1::ReceiveStreamRequest>;

  grpc::Status SendStream(grpc::ServerContext* context, SendCall* call) override;
  grpc::Status ReceiveStream(grpc::ServerContext* context, ReceiveCall* call) override;
  grpc::Status Settle(grpc::ServerContext* context, const v1::SettleRequest* request,
                      v1::SettleResponse* response) override;
  grpc::Status RenewLock(grpc::ServerContext* context, const v1::RenewLockRequest* request,
                         v1::RenewLockResponse* response) override;

  class FakeClock final : public v1::Clock::Service {
   public:
    explicit FakeClock(FakeBroker& broker) : broker_(broker) {}
    grpc::Status Get(grpc::ServerContext* context, const v1::GetClockRequest* request,
                     v1::ClockTime* response) override;

   private:
    FakeBroker& broker_;
  };
  class FakeTransactions final : public v1::Transactions::Service {
   public:
    explicit FakeTransactions(FakeBroker& broker) : broker_(broker) {}
    grpc::Status RunTransaction(grpc::ServerContext* context,
                                const v1::RunTransactionRequest* request,
                                v1::Transaction* response) override;

   private:
    FakeBroker& broker_;
  };

  grpc::Status Send(grpc::ServerContext* context, const v1::SendRequest* request,
                    v1::SendResponse* response) override;
  grpc::Status Peek(grpc::ServerContext* context, const v1::PeekRequest* request,
                    v1::PeekResponse* response) override;

  // Of a call that begins: not ok where another one leads, or where its answer is lost.
  grpc::Status NoteAsked();
  grpc::Status NoteCall();
  // With mutex_ held.
  grpc::Status Elsewhere() const;
  void Start();
  v1::SendStreamResponse MakeReceipt(const v1::SendStreamRequest& request);
  void Answer(const v1::ReceiveStreamRequest& request, ReceiveCall& call,
              v1::ReceiveCredit& credit);
  v1::ReceiveStreamResponse Settled(const v1::StreamSettle& settle);
  v1::ReceiveStreamResponse NextDeliveries(v1::ReceiveCredit& credit);
  static void WriteAll(std::vector<v1::ReceiveStreamResponse>& responses, ReceiveCall& call);
  void WriteLargeMessage(ReceiveCall& call);
  void AddResult(const std::string& token, v1::TokenResult& result) const;
  // With mutex_ held: whether a call of this era goes on.
  bool IsServed(std::uint64_t era) const { return era == era_ && !is_broken_; }
  grpc::Status End();

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::optional<std::string> leader_;  // Another one.
  int asked_ = 0;
  bool loses_answer_ = false;
  bool loses_lead_ = false;
  std::uint64_t era_ = 0;  // One more with every break.
  bool is_broken_ = false;
  bool is_stopping_ = false;
  bool ends_in_order_ = false;
  std::vector<v1::SettleRequest> settles_;
  std::map<std::string, int> renewals_;
  std::vector<v1::ReceiveStreamResponse> accepted_sessions_;
  std::vector<v1::ReceiveStreamResponse> ended_sessions_;
  bool holds_receipts_ = false;
  bool holds_settlements_ = false;
  std::set<std::string> refused_bodies_;
  std::set<std::string> lost_locks_;
  std::vector<v1::SendStreamRequest> sends_;
  std::vector<v1::ReceiveStreamRequest> receives_;
  std::deque<v1::ReceivedMessage> messages_;
  std::string large_body_;
  std::int64_t last_number_ = 0;

  int port_ = 0;
  FakeClock clock_{*this};
  FakeTransactions transactions_{*this};
  std::unique_ptr<grpc::Server> server_;  // Last: its calls use the rest.
};

}  // namespace wharf::client
