// The examples of the client library in tools/LIBRARY.md, as a program: each block of C++ there
// stands here, line by line, and tests/documents/run runs it against the broker of that page.

#include <cstdio>
#include <cstdlib>

#include <fmt/core.h>

#include "tools/client/client.h"
#include "tools/client/session_keeper.h"

namespace wharf {
namespace {

void Check(bool is_good, const char* what) {
  if (is_good) return;
  fmt::print(stderr, "library example: {} failed\n", what);
  std::exit(1);
}

void SendAndReceive() {
  client::Client client("127.0.0.1:5680");

  auto sender = client.CreateSender("greetings");
  v1::Message message;
  message.set_body("hello");
  sender->Send(std::move(message), [](Result<client::SendReceipt> receipt) {
    if (!receipt.ok()) fmt::print(stderr, "{}\n", receipt.status().message());
  });
  Status sent = sender->Flush();

  Check(sent.ok(), "sending");
  auto receiver = client.CreateReceiver("greetings");
  auto messages = receiver->Receive(/*messages_max=*/10, std::chrono::seconds(5));
  v1::Settlement settlement;
  settlement.mutable_complete();
  for (const auto& received : *messages) settlement.add_lock_tokens(received.lock_token());
  receiver->Settle(std::move(settlement), [](Result<client::SettleReceipt> receipt) {
    if (!receipt.ok() || !receipt->failures.empty()) fmt::print(stderr, "not completed\n");
  });
  Status settled = receiver->Flush();
  Check(messages->size() == 1 && settled.ok(), "receiving");
}

void ReceiveSession(client::Client& client) {
  auto receiver = client.CreateReceiver("chapters", {.session = client::NamedSession{"red"}});
  auto session = receiver->WaitForSession();  // or NextSession, HeldSession, ManySessions
  auto token = session->session_lock_token();
  Status kept = client.sessions().SetSessionState("chapters", token, "half done");
  Check(session.ok() && kept.ok(), "accepting a session");
}

void ReceiveManySessions(client::Client& client) {
  client::SessionKeeper keeper(client.sessions(), "chapters");  // renews their locks
  auto many = client.CreateReceiver(
      "chapters", {.session = client::ManySessions{.concurrent_max = 20}},
      [](client::Receiver& /*receiver*/, v1::Deliveries& deliveries) {
        fmt::print("{} messages\n", deliveries.messages_size());
      },
      {.on_accepted = [&](client::Receiver&,
                          const v1::AcceptedSession& session) { keeper.Keep(session); },
       .on_ended =
           [&](client::Receiver&, const v1::SessionEnded& session) {
             keeper.Forget(session.session_lock_token());
           }});
  Check(many->Stop().ok(), "many sessions");
}

void UseTopics(client::Client& client) {
  client::Topics& topics = client.topics();
  v1::CreateSubscriptionRequest request;
  request.mutable_subscription()->set_topic("news");
  request.mutable_subscription()->set_name("sports");
  request.mutable_default_rule()->mutable_sql_filter()->set_text("goals > 3");
  Check(topics.CreateSubscription(request).ok(), "making a subscription");

  auto sender = client.CreateSender("news");
  auto receiver = client.CreateReceiver(client::SubscriptionId{"news", "sports"}.path());
}

void RunTransaction(client::Client& client) {
  v1::RunTransactionRequest request;
  request.set_transaction_id("order-13");  // may be repeated: it is done once
  for (const char* queue : {"greetings", "farewells"}) {
    v1::SendRequest& send = *request.add_operations()->mutable_send();
    send.set_entity_path(queue);
    send.add_messages()->set_body("both, or neither");
  }
  Result<v1::Transaction> done = client.transactions().Run(request);
  Check(done.ok(), "the transaction");
}

void Main() {
  SendAndReceive();
  client::Client client("127.0.0.1:5680");
  ReceiveSession(client);
  ReceiveManySessions(client);
  UseTopics(client);
  RunTransaction(client);
}

}  // namespace
}  // namespace wharf

int main() { wharf::Main(); }
