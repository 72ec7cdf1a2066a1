// The requests that a change is made of, as a broker hears them.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <google/protobuf/empty.pb.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "tools/wharf/definitions/applier.h"
#include "wharf/v1/topics.grpc.pb.h"

namespace wharf::tool {
namespace {

using ::testing::ElementsAre;

grpc::Status ErrorOf(grpc::StatusCode code, const std::string& reason) {
  google::rpc::ErrorInfo info;
  info.set_domain("wharf");
  info.set_reason(reason);
  google::rpc::Status error;
  error.set_code(code);
  error.add_details()->PackFrom(info);
  return {code, reason, error.SerializeAsString()};
}

// The rules of one subscription; one call at a time.
class RulesBroker final : private v1::Topics::Service {
 public:
  // By their names, what they filter by.
  using Rules = std::map<std::string, std::string>;

  explicit RulesBroker(Rules rules) : rules_(std::move(rules)) {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    address_ = fmt::format("127.0.0.1:{}", port);
  }
  ~RulesBroker() override { server_->Shutdown(); }

  const std::string& address() const { return address_; }
  // All of them after each call.
  const std::vector<std::string>& states() const { return states_; }
  // That the last call expected.
  const std::string& etag() const { return etag_; }

 private:
  grpc::Status UpdateRule(grpc::ServerContext* /*context*/, const v1::UpdateRuleRequest* request,
                          v1::Rule* response) override {
    *response = request->rule();
    rules_[response->name()] = response->sql_filter().text();
    etag_ = response->etag();
    Note();
    return grpc::Status::OK;
  }
  grpc::Status RemoveRule(grpc::ServerContext* /*context*/, const v1::RemoveRuleRequest* request,
                          google::protobuf::Empty* /*response*/) override {
    const bool was_there = rules_.erase(request->name()) > 0;
    etag_ = request->etag();
    Note();
    if (was_there) return grpc::Status::OK;
    return ErrorOf(grpc::StatusCode::NOT_FOUND, "MessagingEntityNotFound");
  }

  void Note() {
    std::string state;
    for (const auto& [name, filter] : rules_) {
      state += fmt::format("{}{}: {}", state.empty() ? "" : ", ", name, filter);
    }
    states_.push_back(state);
  }

  Rules rules_;
  std::vector<std::string> states_;
  std::string etag_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

Change Replacement(const std::string& name, const std::string& filter, const std::string& etag) {
  v1::Rule rule;
  rule.set_name(name);
  rule.mutable_sql_filter()->set_text(filter);
  return {.verb = Change::Verb::kReplace,
          .kind = DefinitionKind::kRule,
          .path = "t/Subscriptions/s",
          .name = name,
          .wanted = rule,
          .etag = etag};
}

TEST(DefinitionsApplierTest, ARuleIsReplacedInOneStepAndRemovedIfTheyAreAsTheyWere) {
  RulesBroker broker(RulesBroker::Rules{{"a", "n = 1"}, {"b", "n = 2"}});
  client::Client client(client::Target(broker.address()));

  EXPECT_TRUE(Applier(client, {}).Do(Replacement("a", "n = 3", "etag-a")).ok());
  EXPECT_EQ(broker.etag(), "etag-a");
  EXPECT_TRUE(Applier(client, {})
                  .Do({.verb = Change::Verb::kDelete,
                       .kind = DefinitionKind::kRule,
                       .path = "t/Subscriptions/s",
                       .name = "b",
                       .etag = "etag-b"})
                  .ok());
  EXPECT_EQ(broker.etag(), "etag-b");

  EXPECT_THAT(broker.states(), ElementsAre("a: n = 3, b: n = 2", "a: n = 3"));
}

}  // namespace
}  // namespace wharf::tool
