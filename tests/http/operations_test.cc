#include "broker/doors/http/operations.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wharf {
namespace {

class OperationsTest : public ::testing::Test {
 protected:
  OperationsTest() { AddHealth(router_, health_); }

  HttpResponse Get(const std::string& path, const std::string& accept = "") const {
    return router_.Answer({.method = "GET", .path = path, .accept = accept});
  }

  Health health_;
  Router router_;
};

TEST_F(OperationsTest, ABrokerByItselfLeads) {
  EXPECT_EQ(Get("/readyz/leader").status, 503U);
  EXPECT_EQ(Get("/readyz/leader").body, "starting: the broker is starting\n");

  health_.Heal(Ailment::kStarting);

  EXPECT_EQ(Get("/readyz/leader").status, 200U);
  EXPECT_EQ(Get("/readyz/leader").body, "ok\n");
}

TEST_F(OperationsTest, ANodeThatTakesPartIsReadyAndOneThatLeadsIsTheLeader) {
  health_.Heal(Ailment::kStarting);
  health_.SetPart({.leads = false, .how = "n2 leads"});

  EXPECT_EQ(Get("/readyz").status, 200U);
  EXPECT_EQ(Get("/readyz").body, "ok\ncluster: n2 leads\n");
  EXPECT_EQ(Get("/readyz/leader").status, 503U);
  EXPECT_EQ(Get("/readyz/leader").body, "not-leading: n2 leads\ncluster: n2 leads\n");
  EXPECT_EQ(Get("/livez").status, 200U);
  const auto report = nlohmann::json::parse(Get("/readyz/leader", "application/json").body);
  EXPECT_EQ(report["causes"][0]["name"], "not-leading");
  EXPECT_EQ(report["cluster"]["leads"], false);
  EXPECT_EQ(report["cluster"]["message"], "n2 leads");

  health_.SetPart({.leads = true, .how = "this node leads"});

  EXPECT_EQ(Get("/readyz/leader").status, 200U);
  EXPECT_EQ(Get("/readyz/leader").body, "ok\ncluster: this node leads\n");
  health_.Note(Ailment::kFullDisk, "0 bytes are left");
  EXPECT_EQ(Get("/readyz").status, 503U);
  EXPECT_EQ(Get("/readyz/leader").status, 503U);
}

TEST_F(OperationsTest, ItIsAliveBeforeItIsReady) {
  EXPECT_EQ(Get("/livez").status, 200u);
  EXPECT_EQ(Get("/readyz").status, 503u);
  EXPECT_EQ(Get("/readyz").body, "starting: the broker is starting\n");

  health_.Heal(Ailment::kStarting);

  EXPECT_EQ(Get("/readyz").status, 200u);
  EXPECT_EQ(Get("/readyz").body, "ok\n");
}

TEST_F(OperationsTest, EveryCauseIsNamed) {
  health_.Heal(Ailment::kStarting);
  health_.Note(Ailment::kSlowDisk, "it takes long");
  health_.Note(Ailment::kFullDisk, "5 bytes \"are\" left\xff");

  EXPECT_EQ(Get("/readyz").body, "full-disk: 5 bytes \"are\" left\xff\nslow-disk: it takes long\n");
  const HttpResponse json = Get("/readyz", "application/json, */*;q=0.1");
  EXPECT_EQ(json.type, "application/json");
  const nlohmann::json parsed = nlohmann::json::parse(json.body);
  EXPECT_EQ(parsed["ok"], false);
  EXPECT_EQ(parsed["causes"][1]["name"], "slow-disk");
  EXPECT_EQ(parsed["causes"][1]["message"], "it takes long");
}

TEST(InsecureTest, ItIsReadyAndSaysThatItIsInsecure) {
  Health health(/*is_insecure=*/true);
  health.Heal(Ailment::kStarting);
  Router router;
  AddHealth(router, health);
  const auto get = [&router](const std::string& path, const std::string& accept) {
    return router.Answer({.method = "GET", .path = path, .accept = accept});
  };

  EXPECT_EQ(get("/readyz", "").status, 200u);
  EXPECT_EQ(get("/readyz", "").body,
            "ok\ninsecure: listeners may do without TLS and without access\n");
  EXPECT_EQ(nlohmann::json::parse(get("/readyz", "application/json").body)["insecure"], true);
  EXPECT_EQ(get("/livez", "").body, "ok\n");
}

TEST_F(OperationsTest, OnlyWhatARestartWouldHealIsDeath) {
  health_.Note(Ailment::kSlowDisk, "it takes long");
  health_.Note(Ailment::kFullDisk, "5 bytes");
  EXPECT_EQ(Get("/livez").status, 200u);

  health_.Note(Ailment::kHungTurn, "it hangs");
  EXPECT_EQ(Get("/livez").status, 503u);
}

TEST_F(OperationsTest, TheRouterTellsWhatThereIs) {
  EXPECT_EQ(Get("/").status, 404u);
  EXPECT_EQ(Get("/").body, "there is nothing here; there is /livez, /readyz, /readyz/leader\n");
  EXPECT_EQ(Get("/livez/").status, 404u);
  EXPECT_EQ(Get("/%6civez").status, 404u);
  EXPECT_EQ(router_.Answer({.method = "POST", .path = "/livez"}).status, 405u);
  EXPECT_EQ(router_.Answer({.method = "HEAD", .path = "/livez"}).status, 200u);
}

}  // namespace
}  // namespace wharf
