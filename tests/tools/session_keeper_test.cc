#include "tools/client/session_keeper.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "tools/client/client.h"

namespace wharf::client {
namespace {

// Counts the renewals of each token, and fails those of some.
class FakeSessions final : private v1::Sessions::Service {
 public:
  FakeSessions() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  // From now on.
  void Fail(const std::string& token, const grpc::Status& error) {
    const std::lock_guard lock(mutex_);
    errors_[token] = error;
  }
  // Its renewals are answered when the client has gone.
  void Hang(const std::string& token) {
    const std::lock_guard lock(mutex_);
    hanging_ = token;
  }

  // False if that takes too long.
  bool WaitForRenewals(const std::string& token, int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30),
                             [&] { return renewals_[token] >= count; });
  }
  int renewals(const std::string& token) {
    const std::lock_guard lock(mutex_);
    return renewals_[token];
  }

 private:
  grpc::Status RenewSessionLock(grpc::ServerContext* context,
                                const v1::RenewSessionLockRequest* request,
                                v1::RenewSessionLockResponse*) override {
    std::unique_lock lock(mutex_);
    const std::string& token = request->session_lock_token();
    ++renewals_[token];
    changed_.notify_all();
    while (token == hanging_ && !context->IsCancelled()) {
      changed_.wait_for(lock, std::chrono::milliseconds(10));
    }
    return errors_[token];
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::string hanging_;
  std::map<std::string, grpc::Status> errors_;
  std::map<std::string, int> renewals_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;  // Last: its calls use the rest.
};

grpc::Status ErrorOf(grpc::StatusCode code, const std::string& reason) {
  google::rpc::ErrorInfo info;
  info.set_domain("wharf");
  info.set_reason(reason);
  (*info.mutable_metadata())["outcome"] = "not-done";
  google::rpc::Status status;
  status.set_code(code);
  status.add_details()->PackFrom(info);
  return {code, "the test wants it so", status.SerializeAsString()};
}

v1::AcceptedSession ShortLock(const std::string& token) {
  v1::AcceptedSession session;
  session.set_session_lock_token(token);
  session.mutable_lock_duration()->set_nanos(1000);
  return session;
}

class SessionKeeperTest : public testing::Test {
 protected:
  FakeSessions broker_;
  Client client_{broker_.address()};
  SessionKeeper keeper_{client_.sessions(), "orders"};
};

TEST_F(SessionKeeperTest, RenewsWhatItKeepsAgainAndAgain) {  // SES-9
  keeper_.Keep(ShortLock("red"));
  keeper_.Keep(ShortLock("blue"));

  EXPECT_TRUE(broker_.WaitForRenewals("red", 3));
  EXPECT_TRUE(broker_.WaitForRenewals("blue", 3));
}

TEST_F(SessionKeeperTest, WhatWasForgottenIsNotRenewed) {
  v1::AcceptedSession red = ShortLock("red");
  red.mutable_lock_duration()->set_seconds(3600);
  keeper_.Keep(red);
  keeper_.Forget("red");
  keeper_.Keep(ShortLock("blue"));

  EXPECT_TRUE(broker_.WaitForRenewals("blue", 2));

  EXPECT_EQ(broker_.renewals("red"), 0);
}

TEST_F(SessionKeeperTest, WhatCanNeverBeRenewedIsNotTriedAgain) {
  broker_.Fail("lost", ErrorOf(grpc::StatusCode::ABORTED, "SessionLockLost"));
  broker_.Fail("deleted", ErrorOf(grpc::StatusCode::NOT_FOUND, "MessagingEntityNotFound"));
  keeper_.Keep(ShortLock("lost"));
  keeper_.Keep(ShortLock("deleted"));
  EXPECT_TRUE(broker_.WaitForRenewals("lost", 1));
  EXPECT_TRUE(broker_.WaitForRenewals("deleted", 1));
  keeper_.Keep(ShortLock("blue"));

  EXPECT_TRUE(broker_.WaitForRenewals("blue", 3));

  EXPECT_EQ(broker_.renewals("lost"), 1);
  EXPECT_EQ(broker_.renewals("deleted"), 1);
}

// Half of its lock is left: there is time for more than one try.
TEST_F(SessionKeeperTest, WhatFailsForAWhileIsSoonTriedAgain) {
  broker_.Fail("red", ErrorOf(grpc::StatusCode::UNAVAILABLE, "ServiceBusy"));
  for (const char* token : {"red", "blue"}) {
    v1::AcceptedSession session = ShortLock(token);
    session.mutable_lock_duration()->set_seconds(2);
    keeper_.Keep(session);
  }

  EXPECT_TRUE(broker_.WaitForRenewals("red", 3));

  EXPECT_EQ(broker_.renewals("blue"), 1);
}

TEST_F(SessionKeeperTest, OneWithoutAnAnswerDoesNotHoldUpTheOthers) {
  broker_.Hang("red");
  keeper_.Keep(ShortLock("red"));
  keeper_.Keep(ShortLock("blue"));

  EXPECT_TRUE(broker_.WaitForRenewals("blue", 1));
  EXPECT_TRUE(broker_.WaitForRenewals("red", 2));
}

}  // namespace
}  // namespace wharf::client
