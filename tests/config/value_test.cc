#include "broker/config/value.h"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/config/keys.h"

namespace wharf::config {
namespace {

using ::testing::HasSubstr;
using Texts = std::vector<std::string>;

// What is said of a value that the key does not take; empty if it takes it.
std::string Refusal(std::string_view name, const Value& value) {
  Settings settings;
  return Set(*FindKey(name), value, settings).message();
}

TEST(ValueTest, ANumberIsOneOfItsRange) {
  EXPECT_EQ(Refusal("max-entities", std::int64_t{1}), "");
  EXPECT_EQ(Refusal("max-entities", std::int64_t{1'000'000}), "");
  EXPECT_EQ(Refusal("max-entities", std::int64_t{0}), "a number from 1 to 1000000, not 0");
  EXPECT_EQ(Refusal("max-entities", std::int64_t{-5}), "a number from 1 to 1000000, not -5");
  EXPECT_EQ(Refusal("max-entities", std::int64_t{1'000'001}),
            "a number from 1 to 1000000, not 1000001");
  EXPECT_EQ(Refusal("max-entities", "100"), "a number from 1 to 1000000, not \"100\"");
  EXPECT_EQ(Refusal("max-entities", true), "a number from 1 to 1000000, not true");
}

TEST(ValueTest, ATextEndsWhereItEnds) {
  const std::string cut("/x\0y", 4);
  EXPECT_THAT(Refusal("data", cut), HasSubstr("no NUL stands in it"));
  EXPECT_THAT(Refusal("tls-cert", cut), HasSubstr("no NUL stands in it"));
  EXPECT_EQ(Refusal("data", ""), "the name of a folder, not \"\"");
  EXPECT_EQ(Refusal("tls-cert", ""), "");
}

TEST(ValueTest, WhatOthersAreToldIsNoAnyAddress) {
  for (const char* const key : {"advertise", "peer-advertise"}) {
    for (const char* const any : {"0.0.0.0", "0.0.0.0:5680", "[::]", "[0:0::0]:5680"}) {
      EXPECT_THAT(Refusal(key, any), HasSubstr("is none that others find")) << key << any;
    }
    EXPECT_EQ(Refusal(key, "10.0.0.1:5680"), "");
    EXPECT_EQ(Refusal(key, "[::1]"), "");
  }
  EXPECT_EQ(Refusal("peer-listen", "0.0.0.0:5690"), "");
}

TEST(ValueTest, APasswordIsNotSaidAgain) {
  const std::string said = Refusal("trace-otlp-endpoint", "http://user:s3cret@h:1/");
  EXPECT_THAT(said, HasSubstr("it names a user"));
  EXPECT_THAT(said, ::testing::Not(HasSubstr("s3cret")));
}

TEST(ValueTest, AChoiceIsOneOfItsNames) {
  EXPECT_EQ(Refusal("log-level", "warning"), "");
  EXPECT_EQ(Refusal("log-level", "warn"),
            "debug, info, warning or error, not \"warn\"; did you mean \"warning\"?");
  EXPECT_EQ(Refusal("log-level", "LOUD"), "debug, info, warning or error, not \"LOUD\"");
  EXPECT_EQ(Refusal("clock", ""), "system or manual, not \"\"");
  EXPECT_EQ(Refusal("clock", std::int64_t{1}), "system or manual, not 1");
}

TEST(ValueTest, ASizeAndATimeHaveTheirUnits) {
  EXPECT_EQ(Refusal("min-free-disk", "1GiB"), "");
  EXPECT_EQ(Refusal("min-free-disk", "64"),
            "a size from 1MiB to 1024TiB, in B, KiB, MiB, GiB or TiB, not \"64\"");
  EXPECT_EQ(Refusal("min-free-disk", std::int64_t{64}),
            "a size from 1MiB to 1024TiB, in B, KiB, MiB, GiB or TiB, not 64");
  EXPECT_EQ(Refusal("min-free-disk", "1KiB"),
            "a size from 1MiB to 1024TiB, in B, KiB, MiB, GiB or TiB, not \"1KiB\"");
  EXPECT_EQ(Refusal("transaction-timeout", "1m30s"), "");
  EXPECT_EQ(Refusal("transaction-timeout", "30"),
            "a time from 1s to 1d, for example 30s, 5m or 1h30m, not \"30\"");
  EXPECT_EQ(Refusal("transaction-timeout", "999ms"),
            "a time from 1s to 1d, for example 30s, 5m or 1h30m, not \"999ms\"");
  EXPECT_EQ(Refusal("transaction-timeout", "2d"),
            "a time from 1s to 1d, for example 30s, 5m or 1h30m, not \"2d\"");
}

TEST(ValueTest, AnAddressHasAPort) {
  EXPECT_EQ(Refusal("listen", "[::1]:0"), "");
  EXPECT_EQ(Refusal("listen", "127.0.0.1"),
            "ADDRESS:PORT, for example 127.0.0.1:5680; the port is missing, not \"127.0.0.1\"");
  EXPECT_EQ(Refusal("listen", Texts{"[::1]:1", "127.0.0.1:x"}),
            "ADDRESS:PORT, for example 127.0.0.1:5680; the port is a number from 0 to 65535, not "
            "\"127.0.0.1:x\"");
  EXPECT_EQ(Refusal("listen", std::int64_t{5680}),
            "ADDRESS:PORT, for example 127.0.0.1:5680, not 5680");
}

TEST(ValueTest, SeveralAddressesAreAtPlacesOfTheirOwn) {
  const auto why = [](const Texts& texts) {
    const std::string refusal = Refusal("listen", texts);
    return refusal.substr(std::min(refusal.size(), refusal.find(';')));
  };
  EXPECT_EQ(why({"127.0.0.1:1", "grpc://[::1]:1", "unix:/a", "127.0.0.1:0", "127.0.0.1:0",
                 "amqp://127.0.0.1:0", "amqp+tls://[::1]:5671", "operations://[::1]:0",
                 "console+tls://127.0.0.1:8080"}),
            "");
  EXPECT_EQ(why({"operations://127.0.0.1:1"}), "; none of them is for gRPC");
  EXPECT_EQ(why({"127.0.0.1:1", "localhost:1"}), "; localhost:1 is a place that is named twice");
  EXPECT_EQ(why({"unix:/a", "grpc://unix:/a?mode=0600"}),
            "; grpc://unix:/a?mode=0600 is a place that is named twice");
  EXPECT_EQ(why({}), "; it is empty, not \"\"");
  EXPECT_EQ(why(Texts(17, "127.0.0.1:0")), "; there are at most 16");
}

TEST(ValueTest, AUnixSocketHasAPathAndAMode) {
  const auto why = [](const std::string& text) {
    const std::string refusal = Refusal("listen", text);
    return refusal.substr(std::min(refusal.size(), refusal.find(';')));
  };
  EXPECT_EQ(why("unix:/run/wharf.sock"), "");
  EXPECT_EQ(why("unix:/run/wharf.sock?mode=0660"), "");
  EXPECT_THAT(why("unix:run/wharf.sock"), HasSubstr("begins with /"));
  EXPECT_THAT(why("unix:/" + std::string(107, 'x')), HasSubstr("at most 107 bytes"));
  for (const char* mode : {"0888", "", "10000", "-1", "0600 "}) {
    EXPECT_THAT(why(std::string("unix:/a?mode=") + mode), HasSubstr("?mode=")) << mode;
  }
  EXPECT_THAT(why("unix:/a?color=red"), HasSubstr("?mode="));
  EXPECT_THAT(why("mqtt://127.0.0.1:1"), HasSubstr("before ://"));
}

TEST(ValueTest, AHostHasNoPort) {
  EXPECT_EQ(Refusal("http-hosts", Texts{"wharf", "a.example.org"}), "");
  EXPECT_EQ(Refusal("http-hosts", Texts{"[::1]", "[2001:db8::7]", "192.0.2.7"}), "");
  EXPECT_EQ(Refusal("http-hosts", Texts{}), "");
  for (const char* text : {"[::1]:80", "[::1", "::1", "[]", "[wharf]", "[127.0.0.1]", "[[::1]]"}) {
    EXPECT_THAT(Refusal("http-hosts", text), HasSubstr("names of machines")) << text;
  }
  EXPECT_THAT(Refusal("http-hosts", Texts{"wharf", "wharf:80"}), HasSubstr("not \"wharf:80\""));
  EXPECT_THAT(Refusal("http-hosts", "*"), HasSubstr("names of machines"));
}

TEST(ValueTest, AFewEntitiesMayBeNamedWhetherTheyAreThereOrNot) {
  EXPECT_EQ(Refusal("metrics-histograms", Texts{"orders", "a/b.c", "News/subscriptions/all"}), "");
  EXPECT_EQ(Refusal("metrics-histograms", Texts{}), "");
  EXPECT_EQ(Refusal("metrics-histograms", Texts(20, "orders")), "");
  EXPECT_EQ(Refusal("metrics-histograms", Texts(21, "orders")),
            "paths of entities, for example orders or news/Subscriptions/all; there are at most "
            "20");
  for (const char* text : {"", "a b", "orders/$DeadLetterQueue", "news/Subscriptions/a/b"}) {
    EXPECT_THAT(Refusal("metrics-histograms", Texts{"orders", text}),
                HasSubstr("cannot name an entity"))
        << text;
  }
}

TEST(ValueTest, AnAuthorityIsAHostAndMayHaveAPort) {
  for (const char* good : {"", "wharf", "wharf.example.org:443", "192.0.2.1:5680", "[2001:db8::1]",
                           "[2001:db8::1]:5680", "a:65535"}) {
    EXPECT_EQ(Refusal("advertise", good), "") << good;
  }
  for (const char* bad : {":5680", "wharf:", "wharf:0", "wharf:65536", "wharf:a", "sb://wharf",
                          "a/b", "2001:db8::1", "[::1", "[::1]5680", "a:1:2", "a b"}) {
    EXPECT_THAT(Refusal("advertise", bad), HasSubstr("HOST or HOST:PORT")) << bad;
  }
}

TEST(ValueTest, AnEndpointIsAUrlOfHttpWithAPort) {
  for (const char* good : {"", "http://127.0.0.1:4318", "http://[::1]:4318/v1/traces",
                           "https://otel.example.org:4318"}) {
    EXPECT_EQ(Refusal("trace-otlp-endpoint", good), "") << good;
  }
  EXPECT_EQ(Refusal("trace-otlp-endpoint", "https://otel"),
            "http://HOST:PORT or https://HOST:PORT, with a path or without, for example "
            "http://127.0.0.1:4318; the port is missing, not \"https://otel\"");
  EXPECT_THAT(Refusal("trace-otlp-endpoint", "otel"),
              HasSubstr("; it begins with http:// or https://, not"));
}

TEST(ValueTest, AClientHasARule) {
  EXPECT_EQ(Refusal("client-rules", "certificate:CN=shop,O=x -> orders#sender"), "");
  EXPECT_EQ(Refusal("client-rules", Texts{}), "");
  EXPECT_EQ(Refusal("client-rules", Texts{"claim:a -> r", "shop -> r"}),
            "CLIENT -> RULE, for example certificate:CN=shop,O=x -> orders#sender; a client begins "
            "with certificate: and a subject, or claim: and a value, not \"shop -> r\"");
  EXPECT_THAT(Refusal("client-rules", Texts{"claim:a -> r", "claim:a -> s"}),
              ::testing::EndsWith("; one client has two rules"));
}

TEST(ValueTest, WhatNoKeyTakesIsNamed) {
  EXPECT_EQ(Refusal("data", Unfit{"an array"}), "the name of a folder, not an array");
  EXPECT_EQ(Refusal("strict-transactions", Unfit{"a table"}), "true or false, not a table");
}

TEST(ValueTest, WhatIsQuotedIsShortAndPrintable) {
  EXPECT_EQ(Refusal("clock", "\x1b[31m\n"), "system or manual, not \"\\x1b[31m\\n\"");
  EXPECT_LT(Refusal("clock", std::string(1 << 20, 'x')).size(), 200u);
}

TEST(ValueTest, ARefusedValueChangesNothing) {
  Settings settings;
  EXPECT_FALSE(Set(*FindKey("max-entities"), std::int64_t{0}, settings).ok());
  EXPECT_EQ(settings.limits.broker.entities_max, Settings{}.limits.broker.entities_max);
}

TEST(ValueTest, TextMeansWhatTheKeyIs) {
  const auto taken = [](std::string_view name, const std::string& text) {
    Settings settings;
    const Key& key = *FindKey(name);
    return Set(key, ValueOfText(key, text), settings).ok() ? LiteralOf(key, settings) : "refused";
  };
  EXPECT_EQ(taken("max-entities", "25"), "25");
  EXPECT_EQ(taken("max-entities", "25 "), "refused");
  EXPECT_EQ(taken("max-entities", "99999999999999999999"), "refused");
  EXPECT_EQ(taken("strict-transactions", "true"), "true");
  EXPECT_EQ(taken("strict-transactions", "yes"), "refused");
  EXPECT_EQ(taken("data", "true"), "\"true\"");
  EXPECT_EQ(taken("data", "25"), "\"25\"");
  EXPECT_EQ(taken("transaction-timeout", "90s"), "\"1m30s\"");
  EXPECT_EQ(taken("max-transaction-bytes", "1024KiB"), "\"1MiB\"");
  EXPECT_EQ(taken("max-transaction-bytes", "1024"), "refused");
  EXPECT_EQ(taken("listen", "[::1]:1, unix:/a"), "[\"[::1]:1\", \"unix:/a\"]");
  EXPECT_EQ(taken("listen", "[::1]:1"), "\"[::1]:1\"");
  EXPECT_EQ(taken("listen", "[::1]:1,"), "refused");
  EXPECT_EQ(taken("listen", ""), "refused");
  EXPECT_EQ(taken("client-rules", "certificate:CN=a\\;b,O=x -> r; claim:c -> q#r"),
            "[\"certificate:CN=a\\\\;b,O=x -> r\", \"claim:c -> q#r\"]");
  EXPECT_EQ(taken("client-rules", "claim:c -> r;"), "refused");
  EXPECT_EQ(taken("client-rules", ""), "[]");
}

}  // namespace
}  // namespace wharf::config
