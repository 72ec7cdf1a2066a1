#include "tools/client/session_keeper.h"

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

// Counts the renewals of each token, and knows one that is lost.
class FakeSessions final : private v1::Sessions::Service {
 public:
  FakeSessions() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  void Lose(const std::string& token) { lost_ = token; }

  void WaitForRenewals(const std::string& token, int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return renewals_[token] >= count; });
  }
  int renewals(const std::string& token) {
    const std::lock_guard lock(mutex_);
    return renewals_[token];
  }

 private:
  grpc::Status RenewSessionLock(grpc::ServerContext*, const v1::RenewSessionLockRequest* request,
                                v1::RenewSessionLockResponse*) override {
    const std::lock_guard lock(mutex_);
    ++renewals_[request->session_lock_token()];
    changed_.notify_all();
    return request->session_lock_token() == lost_ ? LockLost() : grpc::Status::OK;
  }

  static grpc::Status LockLost() {
    google::rpc::ErrorInfo info;
    info.set_domain("wharf");
    info.set_reason("SessionLockLost");
    (*info.mutable_metadata())["outcome"] = "not-done";
    google::rpc::Status status;
    status.set_code(grpc::StatusCode::ABORTED);
    status.add_details()->PackFrom(info);
    return {grpc::StatusCode::ABORTED, "lost", status.SerializeAsString()};
  }

  std::string lost_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, int> renewals_;  // Guarded by mutex_.
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;  // Last: its calls use the rest.
};

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

  broker_.WaitForRenewals("red", 3);
  broker_.WaitForRenewals("blue", 3);
}

TEST_F(SessionKeeperTest, WhatWasForgottenIsNotRenewed) {
  v1::AcceptedSession red = ShortLock("red");
  red.mutable_lock_duration()->set_seconds(3600);
  keeper_.Keep(red);
  keeper_.Forget("red");
  keeper_.Keep(ShortLock("blue"));

  broker_.WaitForRenewals("blue", 2);

  EXPECT_EQ(broker_.renewals("red"), 0);
}

TEST_F(SessionKeeperTest, WhatIsLostIsNotRenewedAgain) {
  broker_.Lose("red");
  keeper_.Keep(ShortLock("red"));
  broker_.WaitForRenewals("red", 1);
  keeper_.Keep(ShortLock("blue"));

  broker_.WaitForRenewals("blue", 3);

  EXPECT_EQ(broker_.renewals("red"), 1);
}

}  // namespace
}  // namespace wharf::client
