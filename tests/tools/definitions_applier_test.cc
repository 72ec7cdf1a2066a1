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

 private:
  grpc::Status AddRule(grpc::ServerContext* /*context*/, const v1::AddRuleRequest* request,
                       v1::Rule* response) override {
    const v1::Rule& rule = request->rule();
    const bool is_new = rules_.emplace(rule.name(), rule.sql_filter().text()).second;
    Note();
    *response = rule;
    if (is_new) return grpc::Status::OK;
    return ErrorOf(grpc::StatusCode::ALREADY_EXISTS, "MessagingEntityAlreadyExists");
  }
  grpc::Status RemoveRule(grpc::ServerContext* /*context*/, const v1::RemoveRuleRequest* request,
                          google::protobuf::Empty* /*response*/) override {
    const bool was_there = rules_.erase(request->name()) > 0;
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
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

Change Replacement(const std::string& name, const std::string& filter) {
  v1::Rule rule;
  rule.set_name(name);
  rule.mutable_sql_filter()->set_text(filter);
  return {.verb = Change::Verb::kReplace,
          .kind = DefinitionKind::kRule,
          .path = "t/Subscriptions/s",
          .name = name,
          .wanted = rule};
}

TEST(DefinitionsApplierTest, ARuleIsReplacedWithoutAMomentInWhichThereIsNone) {
  RulesBroker broker(RulesBroker::Rules{{"a", "n = 1"}});
  client::Client client(client::Target(broker.address()));

  EXPECT_TRUE(Applier(client, {}).Do(Replacement("a", "n = 3")).ok());

  EXPECT_THAT(broker.states(),
              ElementsAre("a: n = 1, wharf-replacing-a: n = 3", "wharf-replacing-a: n = 3",
                          "a: n = 3, wharf-replacing-a: n = 3", "a: n = 3"));
}

// What it left may be of a file that wanted something else: it is no stand-in for this one.
TEST(DefinitionsApplierTest, WhatAnInterruptedReplacementLeftIsMadeAnew) {
  RulesBroker broker(RulesBroker::Rules{{"a", "n = 1"}, {"wharf-replacing-a", "n = 2"}});
  client::Client client(client::Target(broker.address()));

  EXPECT_TRUE(Applier(client, {}).Do(Replacement("a", "n = 3")).ok());

  EXPECT_THAT(broker.states(),
              ElementsAre("a: n = 1, wharf-replacing-a: n = 2", "a: n = 1",
                          "a: n = 1, wharf-replacing-a: n = 3", "wharf-replacing-a: n = 3",
                          "a: n = 3, wharf-replacing-a: n = 3", "a: n = 3"));
}

}  // namespace
}  // namespace wharf::tool
