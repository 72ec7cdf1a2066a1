#include "broker/access/connection_string.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/access/sample_rules.h"

namespace wharf::access {
namespace {

TEST(ConnectionStringTest, IsTakenApart) {
  const Result<ConnectionString> parsed = ParseConnectionString(
      " endpoint=sb://localhost:5680/ ; SharedAccessKeyName=root;SharedAccessKey=" + kKeyOne +
      ";EntityPath=orders;UseDevelopmentEmulator=True;\n");

  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed->Authority(), "localhost:5680");
  EXPECT_EQ(parsed->key_name, "root");
  EXPECT_EQ(parsed->key, kKeyOne);
  EXPECT_EQ(parsed->entity_path, "orders");
  EXPECT_EQ(parsed->Uri(), "sb://localhost:5680/orders");
  EXPECT_TRUE(parsed->uses_development_emulator);
}

TEST(ConnectionStringTest, ThatOfTheEmulatorIsRead) {
  const Result<ConnectionString> parsed = ParseConnectionString(
      "Endpoint=sb://localhost;SharedAccessKeyName=RootManageSharedAccessKey;"
      "SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;");

  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed->Authority(), "localhost");
  EXPECT_EQ(parsed->Uri(), "sb://localhost/");
}

// Names of namespaces are those of hosts here: what Service Bus allows of them is read as well.
TEST(ConnectionStringTest, ANamespaceIsAHost) {  // NAM-4
  for (const std::string host : {"a-name-of-50-letters-0123456789-0123456789-01234567", "ends-sb",
                                 "shop.servicebus.windows.net", "127.0.0.1"}) {
    const Result<ConnectionString> parsed = ParseConnectionString(
        "Endpoint=sb://" + host + "/;SharedAccessKeyName=root;SharedAccessKey=" + kKeyOne);
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    EXPECT_EQ(parsed->Authority(), host);
  }
}

TEST(ConnectionStringTest, MayHaveATokenInsteadOfAKey) {
  const Result<ConnectionString> parsed = ParseConnectionString(
      "Endpoint=sb://h/;SharedAccessSignature=SharedAccessSignature sr=q&sig=a%3d&se=1&skn=r");

  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed->signature, "SharedAccessSignature sr=q&sig=a%3d&se=1&skn=r");
}

TEST(ConnectionStringTest, ReadsWhatItWrites) {
  const ConnectionString whole{.endpoint = "sb://h:1/",
                               .key_name = "root",
                               .key = kKeyOne,
                               .entity_path = "a/b",
                               .uses_development_emulator = true};

  EXPECT_EQ(*ParseConnectionString(ToString(whole)), whole);
}

TEST(ConnectionStringTest, RefusesWhatIsNoneAndSaysNoSecret) {
  const std::string key = kKeyOne;
  for (const std::string& bad :
       {std::string(), std::string(";;"), "SharedAccessKeyName=r;SharedAccessKey=" + key,
        "Endpoint=;SharedAccessKeyName=r;SharedAccessKey=" + key,
        "Endpoint=h;SharedAccessKey=" + key, "Endpoint=sb://h/;SharedAccessKey=" + key,
        std::string("Endpoint=sb://h/;SharedAccessKeyName=r"), "Endpoint=sb://h/;" + key,
        "Endpoint=sb://h/;" + key + "=1", "Endpoint=sb://h/;SharedAccesKey=" + key,
        std::string("Endpoint=sb://h/;Endpoint=sb://i/"),
        "Endpoint=sb://h/;UseDevelopmentEmulator=" + key,
        "Endpoint=sb://h/;SharedAccessKeyName=r;SharedAccessSignature=x;SharedAccessKey=" + key,
        "Endpoint=" + key, std::string(10000, 'a')}) {
    const Status refused = ParseConnectionString(bad).status();
    EXPECT_EQ(refused.code(), ErrorCode::kArgumentError) << bad;
    EXPECT_EQ(refused.message().find(key.substr(0, 20)), std::string::npos) << refused.message();
  }
}

TEST(ConnectionStringTest, NamesWhatWasMeant) {
  const Status refused = ParseConnectionString("Endpoint=sb://h/;SharedAccesKey=x").status();

  EXPECT_NE(refused.message().find("SharedAccessKey?"), std::string::npos) << refused.message();
}

}  // namespace
}  // namespace wharf::access
