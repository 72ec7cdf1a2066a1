// RecordedAmqp: a client over AMQP whose every word is written into the history, as RecordedClient
// is over gRPC.
//
// Its links to receive by are in recorded_amqp_links.cc, requests to `$management` in
// recorded_amqp_requests.cc, transactions in recorded_amqp_transactions.cc. Made by a worker for
// one run of the broker, used on the worker's thread. What hears nothing because the broker died is
// an error that IsGone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/crash/amqp/amqp_client.h"
#include "tools/crash/amqp/amqp_words.h"
#include "tools/crash/clients/exchange.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class RecordedAmqp {
 public:
  // Null: nobody lets it in.
  static std::unique_ptr<RecordedAmqp> Dial(Life& life);

  // Each by itself, all under way at a time; or together, as a batch.
  Status Send(QueueIndex queue, const std::vector<v1::Message>& messages, bool is_batch);

  // A link that receives, of its attach to its end.
  struct Receiving {
    amqp::LinkId link;
    ReceiveRecord record;
    std::uint32_t receiver = 0;
    std::uint32_t credit = 0;
    // Of one that holds a session.
    std::optional<SessionAcceptRecord> session{};
  };
  struct Got {
    DeliveryRecord record;
    amqp::DeliveryId delivery;
  };
  Result<Receiving> Receive(const Source& source, Mode mode, std::uint32_t credit);
  // Nothing: the next one.
  Result<Receiving> AcceptSession(QueueIndex queue, const std::optional<std::string>& session,
                                  Duration wait, std::uint32_t credit);
  // The next message; nothing if none comes in time. The credit is kept as it was.
  Result<std::optional<Got>> Next(Receiving& receiving, Duration patience);
  // By the link; answered in a later call. What has no answer when the broker is gone is held.
  void Settle(const Receiving& receiving, const Got& got, const Settling& settling);
  Status AwaitAnswers() { return client_->AwaitAnswers(); }
  // In order: takes no more; what came before the broker knew.
  Result<std::vector<Got>> Finish(Receiving& receiving);
  // It has ended in order, or `why` it is over.
  void End(Receiving& receiving, const Status& why);
  // The connection is dropped without a word; nothing more can be done by this client.
  void Leave(Receiving& receiving);

  // By `$management`, with a token; it stays in `unsettled` if there was no answer.
  Status SettleByToken(const Source& source, const std::string& token, const Settling& settling,
                       std::vector<std::string>& unsettled);
  Status RenewLock(const Source& source, const std::string& token);
  Status RenewSession(const SessionAcceptRecord& session);
  Status GetState(const SessionAcceptRecord& session);
  Status SetState(const SessionAcceptRecord& session);

  // Its id.
  Result<std::string> Declare();
  // In it the delivery is completed and the message sent. Whether it came to its end is in the
  // exchange, unless that is unknown; `rolls_back`: its client thinks better of it.
  Status Run(Exchange& exchange, const Receiving& receiving, const Got& got,
             const v1::Message& message, bool rolls_back);

 private:
  RecordedAmqp(std::unique_ptr<AmqpClient> client, Life& life)
      : client_(std::move(client)), life_(life) {}

  // The links of a `$management`: requests leave by one, answers come by the other.
  struct Management {
    amqp::LinkId requests;
    amqp::LinkId replies;
    std::string reply_to;
  };

  template <typename Record>
  void Begin(Record& record) {
    record.hides_outcome = true;
    life_.recorder.Begin(record);
  }
  std::string PathOf(const Source& source);
  Result<amqp::LinkId> SenderTo(QueueIndex queue);
  void Send(amqp::LinkId link, SendRecord send, AmqpClient::Sending sending);
  Result<Receiving> Open(Receiving receiving, amqp::Attach attach);
  // A message that came.
  Result<DeliveryRecord> Note(const Receiving& receiving, const AmqpClient::Received& received);
  void NoteRest(const Receiving& receiving);
  Result<Management> ManagementOf(const std::string& path);
  Result<amqp::Map> Ask(const std::string& path, std::string_view operation, const amqp::Map& body);
  template <typename Execute>
  Status Use(const SessionAcceptRecord& session, SessionVerb verb, Execute execute);
  Result<amqp::Map> AskOfSession(SessionUseRecord& use, const std::string& session,
                                 std::string_view operation, amqp::Map body);
  Result<amqp::LinkId> Control();
  // Says it and hears the answer.
  Result<amqp::DeliveryState> Tell(std::string message);
  // Until both are parts of it.
  Status Add(const Exchange& exchange, const Receiving& receiving, const Got& got,
             const v1::Message& message);

  std::unique_ptr<AmqpClient> client_;
  Life& life_;
  std::map<QueueIndex, amqp::LinkId> senders_;
  std::map<std::string, Management> management_;
  std::optional<amqp::LinkId> control_;
};

}  // namespace wharf::crash
