// Leaderships one after the other in one process: clients stay connected, and each hears why its
// call ended; nothing that was acknowledged is lost, nothing of one leadership is used in the next.
//
// WHARF_LEADERSHIPS says how many follow each other under load; the sanitizers say what is left
// over.

#include "broker/daemon/leadership.h"

#include <memory>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <wharf/v1/management.grpc.pb.h>
#include <wharf/v1/messaging.grpc.pb.h>

#include "broker/daemon/process/daemon_clock.h"
#include "broker/doors/common/doorway.h"
#include "broker/doors/grpc/server.h"
#include "broker/reading/upkeep.h"
#include "broker/schema/change_encoder.h"
#include "broker/schema/garbage.h"
#include "broker/schema/loader.h"
#include "broker/schema/tables.h"
#include "storage/log/segment_commit_log.h"
#include "storage/rocks/random_compaction.h"
#include "storage/rocks/rocks_store.h"
#include "tests/daemon/closing_log.h"
#include "tests/daemon/leadership_clients.h"
#include "tests/from_environment.h"
#include "tests/harness/single_store.h"
#include "tests/storage/log_observer.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;

constexpr Duration kGrace = std::chrono::seconds(60);
const Status kOver(ErrorCode::kServiceCommunicationProblem, "another one leads now");

// One that ends when it is told to.
class OneLeadership {
 public:
  explicit OneLeadership(const std::string& folder)
      : folder_(*OpenSingleStore(
            {.path = folder, .tables = BrokerTables(garbage_), .views = &views_}, random_)),
        garbage_loaded_(garbage_.Load(*folder_.store)),
        upkeep_(garbage_, [this](const auto& freed) { folder_.store->NoteFreed(freed); }),
        state_(*LoadFolderState(*folder_.store, "folder")),
        clock_(MakeClock(/*is_manual=*/false, state_.last_committed)),
        local_({}, *folder_.store, std::move(folder_.log),
               {observer_, &upkeep_, BrokerStatePosition(), BrokerAppliedIndex()}),
        log_(local_),
        leadership_({.store = local_.store(), .log = log_, .clock = *clock_.clock}, {},
                    *LoadBroker(*folder_.store)) {}

  void Begin(Server& server) {
    ASSERT_TRUE(garbage_loaded_.ok());
    ASSERT_TRUE(leadership_.Begin().ok());
    server.Open(
        {leadership_.requests(), leadership_.clock_control(), [] { return BrokerStatistics(); }});
  }

  void End(Server& server, Duration grace) {
    EndInside();
    EndAtTheDoor(server, grace);
  }
  // Everybody who receives hears of it, and the door does not yet.
  void EndInside() {
    log_.Close(kOver);
    leadership_.Close(kOver);
  }
  void EndAtTheDoor(Server& server, Duration grace) {
    server.Close(kOver, grace);
    leadership_.Stop();
    local_.Stop();
  }

  // At any time: something of what is there.
  void Compact() {
    ASSERT_TRUE(folder_.store->Flush().ok());
    static_cast<void>(RandomCompaction(*folder_.store, chance_).Run());
  }
  void CompactAll() { ASSERT_TRUE(folder_.store->CompactAll().ok()); }
  // Since it began: rows that compactions have dropped.
  std::uint64_t dropped_rows() const { return folder_.store->use().dropped_rows; }

 private:
  SystemRandom random_;
  // Of the test's thread.
  SystemRandom chance_;
  ViewLedger views_;
  Garbage garbage_{views_};
  SingleFolder folder_;
  const Status garbage_loaded_;
  Upkeep upkeep_;
  const FolderState state_;
  const DaemonClock clock_;
  LogObserver observer_;
  SegmentCommitLog local_;
  ClosingLog log_;
  Leadership leadership_;
};

class LeadershipTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto store = *OpenDataFolder(data());
    const WriteBatch batch = EncodeFormat();
    ASSERT_TRUE(store->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
    const auto local = boost::asio::ip::make_address("127.0.0.1");
    std::vector<Doorway> doorways;
    doorways.push_back({*Listener::Bind({.endpoint = {local, 0}}, 1 << 16)});
    address_ = "127.0.0.1:" + std::to_string(doorways.front().listener->port());
    server_ = *Server::Start(std::move(doorways), connections_);
    ASSERT_TRUE(server_->Listen().ok());
    channel_ = grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
  }
  void TearDown() override { server_->Stop(kGrace); }

  void CreateQueue(const std::string& name, bool requires_session = false) {
    v1::QueueProperties queue;
    queue.set_name(name);
    queue.set_requires_session(requires_session);
    CreateQueue(queue);
  }
  void CreateQueue(const v1::QueueProperties& queue) {
    grpc::ClientContext context;
    v1::CreateQueueRequest request;
    *request.mutable_queue() = queue;
    v1::QueueProperties response;
    const auto stub = v1::Management::NewStub(channel_);
    const grpc::Status created = stub->CreateQueue(&context, request, &response);
    ASSERT_TRUE(created.ok()) << created.error_message();
  }

  grpc::Status Send(const std::string& queue, const std::string& body = "body", int count = 1) {
    grpc::ClientContext context;
    v1::SendRequest request;
    request.set_entity_path(queue);
    for (int i = 0; i < count; ++i) request.add_messages()->set_body(body);
    v1::SendResponse response;
    return v1::Messaging::NewStub(channel_)->Send(&context, request, &response);
  }

  using ReceiveCall = grpc::ClientReaderWriter<v1::ReceiveStreamRequest, v1::ReceiveStreamResponse>;

  // Little of what nobody reads has room on its way.
  std::unique_ptr<ReceiveCall> Receive(grpc::ClientContext& context, const std::string& queue,
                                       v1::ReceiveMode mode, std::uint32_t credit) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto channel =
        grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), arguments);
    auto stream = v1::Messaging::NewStub(channel)->ReceiveStream(&context);
    v1::ReceiveStreamRequest start;
    start.mutable_start()->set_entity_path(queue);
    start.mutable_start()->set_mode(mode);
    EXPECT_TRUE(stream->Write(start));
    v1::ReceiveStreamRequest grant;
    grant.mutable_grant()->set_messages(credit);
    EXPECT_TRUE(stream->Write(grant));
    return stream;
  }

  std::uint64_t CountOf(const std::string& queue) {
    grpc::ClientContext context;
    v1::GetQueueRuntimePropertiesRequest request;
    request.set_entity_path(queue);
    v1::QueueRuntimeProperties response;
    const auto stub = v1::Management::NewStub(channel_);
    EXPECT_TRUE(stub->GetQueueRuntimeProperties(&context, request, &response).ok());
    return static_cast<std::uint64_t>(response.active_message_count());
  }

  std::unique_ptr<OneLeadership> Make() { return std::make_unique<OneLeadership>(data()); }
  std::string data() const { return folder_.path() + "/data"; }

  TempFolder folder_;
  OpenConnections connections_{100};
  std::unique_ptr<Server> server_;
  std::string address_;
  std::shared_ptr<grpc::Channel> channel_;
};

TEST_F(LeadershipTest, BeforeTheFirstAndBetweenTwoCallsAreRefusedAndTheNextTakesThem) {
  EXPECT_THAT(Send("orders").error_message(), HasSubstr("the broker is starting"));
  auto leadership = Make();
  leadership->Begin(*server_);
  CreateQueue("orders");
  EXPECT_TRUE(Send("orders").ok());

  leadership->End(*server_, kGrace);
  const grpc::Status refused = Send("orders");
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(refused.error_message(), HasSubstr("another one leads now"));

  leadership.reset();
  leadership = Make();
  leadership->Begin(*server_);
  EXPECT_TRUE(Send("orders").ok());
  EXPECT_EQ(CountOf("orders"), 2U);
  leadership->End(*server_, kGrace);
}

TEST_F(LeadershipTest, UnderLoadEachCallEndsWithTheReasonAndNothingAcknowledgedIsLost) {
  const std::uint64_t leaderships = FromEnvironment("WHARF_LEADERSHIPS", 20);
  constexpr std::uint64_t kSendsEach = 10;
  auto first = Make();
  first->Begin(*server_);
  for (const char* queue : {"orders", "work", "empty"}) CreateQueue(queue);
  CreateQueue("sessions", /*requires_session=*/true);
  LeadershipClients clients(address_, {"another one leads now"});
  clients.Start();
  clients.AwaitAcknowledged(kSendsEach);
  first->End(*server_, kGrace);
  first.reset();

  for (std::uint64_t i = 0; i < leaderships; ++i) {
    auto leadership = Make();
    leadership->Begin(*server_);
    leadership->Compact();
    clients.AwaitAcknowledged(clients.acknowledged() + kSendsEach);
    leadership->Compact();
    leadership->End(*server_, kGrace);
  }
  clients.Stop();

  for (const auto& [name, ends] : clients.ends()) {
    EXPECT_EQ(ends.wrong, "") << name;
    EXPECT_GT(ends.told, 0U) << name;
  }
  EXPECT_EQ(clients.ends().size(), 10U);
  auto last = Make();
  last->Begin(*server_);
  EXPECT_GE(CountOf("orders"), clients.acknowledged());
  last->End(*server_, kGrace);
}

// What compactions drop they drop by what each leadership has loaded, and has committed itself.
TEST_F(LeadershipTest, WhatExpiredInOneIsGoneInTheNextWhateverIsCompacted) {  // TTL-9
  constexpr int kWisps = 50;
  auto leadership = Make();
  leadership->Begin(*server_);
  CreateQueue("orders");
  v1::QueueProperties wisps;
  wisps.set_name("wisps");
  wisps.mutable_default_message_time_to_live()->set_seconds(1);
  CreateQueue(wisps);
  std::uint64_t sent = 0;
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(Send("wisps", "body", kWisps).ok());
    while (CountOf("wisps") > 0) leadership->Compact();
    // What is garbage is so when a commit finds that nobody looks at what was before.
    while (leadership->dropped_rows() < kWisps) {
      ASSERT_TRUE(Send("orders").ok());
      ++sent;
      leadership->CompactAll();
    }

    leadership->End(*server_, kGrace);
    leadership.reset();
    leadership = Make();
    leadership->CompactAll();
    leadership->Begin(*server_);

    EXPECT_EQ(CountOf("wisps"), 0U);
    EXPECT_EQ(CountOf("orders"), sent);
  }
  leadership->End(*server_, kGrace);
}

// They were told to the door, and were dropped there: a leader that hands over ended its receivers
// before its door.
TEST_F(LeadershipTest, WhatIsTakenForGoodIsWrittenBeforeTheStreamEnds) {  // RCV-1
  constexpr std::uint64_t kMessages = 100;
  auto leadership = Make();
  leadership->Begin(*server_);
  CreateQueue("work");
  for (std::uint64_t i = 0; i < kMessages; ++i) {
    ASSERT_TRUE(Send("work", std::string(100'000, 'x')).ok());
  }
  grpc::ClientContext taking_context;
  const auto taking = Receive(taking_context, "work", v1::RECEIVE_MODE_RECEIVE_AND_DELETE, 1000);
  // As many as wait for a client that does not read.
  while (CountOf("work") > kMessages - 40) continue;
  grpc::ClientContext witness_context;
  const auto witness = Receive(witness_context, "work", v1::RECEIVE_MODE_PEEK_LOCK, 0);
  v1::ReceiveStreamResponse response;
  ASSERT_TRUE(witness->Read(&response) && response.has_started());

  // They end in the order in which they came.
  leadership->EndInside();
  while (witness->Read(&response)) continue;
  std::uint64_t taken = 0;
  std::thread reader([&taking, &taken] {
    v1::ReceiveStreamResponse each;
    while (taking->Read(&each))
      taken += static_cast<std::uint64_t>(each.deliveries().messages_size());
  });
  leadership->EndAtTheDoor(*server_, kGrace);
  reader.join();

  leadership.reset();
  leadership = Make();
  leadership->Begin(*server_);
  EXPECT_EQ(taken + CountOf("work"), kMessages);
  leadership->End(*server_, kGrace);
}

// A client that gives up a stream which is just being refused.
TEST_F(LeadershipTest, ARefusedStreamMayBeCancelled) {
  const auto stub = v1::Messaging::NewStub(channel_);
  for (int i = 0; i < 2000; ++i) {
    grpc::ClientContext context;
    const auto stream = stub->ReceiveStream(&context);
    context.TryCancel();
    EXPECT_FALSE(stream->Finish().ok());
  }
}

// Its answers fill the way to it, and the stream cannot end. Those that are lost may have told that
// something was done.
TEST_F(LeadershipTest, WhoDoesNotReadIsCutOffAndKnowsThatTheOutcomeIsUnknown) {
  auto leadership = Make();
  leadership->Begin(*server_);
  CreateQueue("orders");
  // Whose window does not grow with what comes.
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 1 << 16);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto channel =
      grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), arguments);
  grpc::ClientContext context;
  const auto stream = v1::Messaging::NewStub(channel)->SendStream(&context);
  // Each has a receipt of hundreds of KiB: a refusal of every message.
  v1::SendStreamRequest refused;
  refused.mutable_send()->set_entity_path("not there");
  for (int i = 0; i < 1000; ++i) refused.mutable_send()->add_messages();
  v1::SendStreamRequest counted;
  counted.mutable_send()->set_entity_path("orders");
  counted.mutable_send()->add_messages();
  std::thread writer([&] {
    while (stream->Write(refused) && stream->Write(counted)) continue;
  });
  // More than the window of a stream carries before it is read, and less than a stream may owe.
  constexpr std::uint64_t kRequests = 10;
  while (CountOf("orders") < kRequests) continue;

  leadership->End(*server_, std::chrono::milliseconds(100));
  writer.join();

  v1::SendStreamResponse response;
  std::uint64_t receipts = 0;
  while (stream->Read(&response)) ++receipts;
  EXPECT_LT(receipts, kRequests);
  const grpc::Status end = stream->Finish();
  // By these words clients tell it from what was never taken.
  const bool is_cut_off = end.error_code() == grpc::StatusCode::CANCELLED &&
                          end.error_message() == "Cancelled on the server side";
  EXPECT_TRUE(is_cut_off || end.error_details().find("unknown") != std::string::npos)
      << end.error_code() << " " << end.error_message();
}

}  // namespace
}  // namespace wharf
