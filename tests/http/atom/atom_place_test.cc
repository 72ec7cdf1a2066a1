// Paths of management, and URIs of what is forwarded to.
#include "broker/doors/http/atom/atom_place.h"

#include <gtest/gtest.h>

#include "broker/doors/http/atom/target_uri.h"

namespace wharf::atom {

// In the failures of tests.
void PrintTo(const AtomPlace& place, std::ostream* out) {
  *out << static_cast<int>(place.kind) << " '" << place.entity << "' '" << place.rule << "'";
}

namespace {

using Kind = AtomPlace::Kind;

TEST(AtomPlaceTest, IsTakenApartFromTheRight) {  // ADR-4, ATM-1, ATM-5, ATM-6
  const std::pair<const char*, AtomPlace> all[] = {
      {"Orders", {Kind::kEntity, "Orders"}},
      {"/a/b/c/", {Kind::kEntity, "a/b/c"}},
      {"rules/r", {Kind::kEntity, "rules/r"}},
      {"t/Rules", {Kind::kEntity, "t/Rules"}},
      {"T/subscriptions/S", {Kind::kSubscription, "T/Subscriptions/S"}},
      {"a/b/Subscriptions/Rules", {Kind::kSubscription, "a/b/Subscriptions/Rules"}},
      {"t/SUBSCRIPTIONS/", {Kind::kSubscriptions, "t"}},
      {"a/b/Subscriptions", {Kind::kSubscriptions, "a/b"}},
      {"t/subscriptions/s/rules/$Default", {Kind::kRule, "t/Subscriptions/s", "$Default"}},
      {"a/b/Subscriptions/s/Rules/", {Kind::kRules, "a/b/Subscriptions/s"}},
      {"rules/Subscriptions/rules/Rules/Rules",
       {Kind::kRule, "rules/Subscriptions/rules", "Rules"}},
      {"$Resources/Queues", {Kind::kQueues}},
      {"$resources/topics/", {Kind::kTopics}},
      {"$namespaceInfo", {Kind::kNamespace}},
      {"$Resources/Rules", {Kind::kNothing}},
      {"$cbs", {Kind::kNothing}},
      {"", {Kind::kEntity, ""}},
      {"Subscriptions", {Kind::kEntity, "Subscriptions"}},
      {"Subscriptions/s", {Kind::kEntity, "Subscriptions/s"}},
  };
  for (const auto& [path, place] : all) EXPECT_EQ(PlaceOf(path), place) << path;
}

TEST(TargetUriTest, IsANameOrAnAddress) {  // ADR-11, ATM-9
  const std::pair<const char*, const char*> all[] = {
      {"Orders", "Orders"},
      {"a/b", "a/b"},
      {"sb://host/Orders", "Orders"},
      {"https://host:443/a/b/?api-version=1", "a/b"},
      {"amqps://host/a%2fb", "a/b"},
      {" sb://host/Orders\n", "Orders"},
      {"100%25", "100%25"},
      {"sb://host/%zz%2", "%zz%2"},
      {"sb://host", ""},
      {"", ""},
  };
  for (const auto& [uri, name] : all) EXPECT_EQ(EntityOfUri(uri), name) << uri;
  EXPECT_EQ(UriOfEntity("h:8443", "a/b"), "sb://h:8443/a/b");
}

}  // namespace
}  // namespace wharf::atom
