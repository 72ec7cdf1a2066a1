#include "broker/config/keys.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/config/value.h"

namespace wharf::config {
namespace {

// Allowed, and not the default.
struct OtherValue {
  Value operator()(const Text& /*text*/) const { return "elsewhere"; }
  Value operator()(const File& /*file*/) const { return "elsewhere"; }
  Value operator()(const Addresses& /*addresses*/) const {
    return std::vector<std::string>{"localhost:1", "unix:/run/wharf.sock"};
  }
  Value operator()(const HostNames& /*names*/) const { return "wharf.example.org"; }
  Value operator()(const EntityPaths& /*paths*/) const { return "orders"; }
  Value operator()(const Words& /*words*/) const { return "elsewhere"; }
  Value operator()(const TokenKeys& /*keys*/) const { return "a:RS256:/k"; }
  Value operator()(const Clients& /*clients*/) const { return "claim:a -> r"; }
  Value operator()(const Authority& /*authority*/) const { return "wharf.example.org"; }
  Value operator()(const Endpoint& /*endpoint*/) const { return "http://127.0.0.1:4318"; }
  Value operator()(const Choice& choice) const {
    const std::string& now = choice.field.of(defaults);
    return std::string(choice.names.front() == now ? choice.names.back() : choice.names.front());
  }
  Value operator()(const Switch& truth) const { return !truth.field.of(defaults); }
  Value operator()(const SwitchWithFile& /*kind*/) const { return "elsewhere"; }
  Value operator()(const Number& number) const {
    const auto min = static_cast<std::int64_t>(number.min);
    return number.field.of(defaults) == number.min ? min + 1 : min;
  }
  Value operator()(const Size& size) const {
    return size.field.of(defaults) == std::uint64_t{1} << 20 ? "2MiB" : "1MiB";
  }
  Value operator()(const Time& time) const {
    return time.field.of(defaults) == std::chrono::seconds(1) ? "2s" : "1s";
  }

  const Settings& defaults;
};

std::vector<std::string> Literals(const Settings& settings) {
  std::vector<std::string> literals;
  for (const Key& key : Keys()) literals.push_back(LiteralOf(key, settings));
  return literals;
}

TEST(KeysTest, EachHasANameOfItsOwnThatAFileAndAShellCanWrite) {
  std::set<std::string_view> names;
  for (const Key& key : Keys()) {
    EXPECT_THAT(std::string(key.name), ::testing::MatchesRegex("[a-z]+(-[a-z]+)*"));
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_EQ(FindKey(key.name), &key);
    EXPECT_EQ(&Keys()[PlaceOf(key)], &key);
  }
  EXPECT_EQ(VariableOf(*FindKey("log-level")), "WHARFD_LOG_LEVEL");
  EXPECT_EQ(FlagOf(*FindKey("log-level")), "--log-level");
}

TEST(KeysTest, EachSaysWhatItIsAndEndsWithoutAPoint) {
  for (const Key& key : Keys()) {
    EXPECT_GE(key.help.size(), 20u) << key.name;
    EXPECT_FALSE(key.help.ends_with('.')) << key.name;
  }
}

TEST(KeysTest, EachDefaultIsAllowed) {
  for (const Key& key : Keys()) {
    if (key.is_needed()) continue;  // It has none.
    Settings settings;
    Copy(key, Settings{}, settings);
    std::string text = LiteralOf(key, settings);
    if (text.starts_with('"') || text.starts_with('[')) text = text.substr(1, text.size() - 2);

    EXPECT_TRUE(Set(key, ValueOfText(key, text), settings).ok()) << key.name;
    EXPECT_EQ(Literals(settings), Literals({})) << key.name;
  }
}

TEST(KeysTest, EachGoesToAPlaceOfItsOwn) {
  const std::vector<std::string> defaults = Literals({});
  for (const Key& key : Keys()) {
    Settings settings;
    const Value other = std::visit(OtherValue{Settings{}}, key.kind);
    ASSERT_TRUE(Set(key, other, settings).ok()) << key.name;

    std::vector<std::string> changed = Literals(settings);

    EXPECT_NE(changed[PlaceOf(key)], defaults[PlaceOf(key)]) << key.name;
    changed[PlaceOf(key)] = defaults[PlaceOf(key)];
    EXPECT_EQ(changed, defaults) << key.name;
  }
}

TEST(KeysTest, ASlipOfTheFingerIsUnderstood) {
  EXPECT_EQ(NearestKey("log-levl"), "log-level");
  EXPECT_EQ(NearestKey("log_level"), "log-level");
  EXPECT_EQ(NearestKey("log.level"), "log-level");
  EXPECT_EQ(NearestKey("max-entites"), "max-entities");
  EXPECT_EQ(NearestKey("colour"), std::nullopt);
}

}  // namespace
}  // namespace wharf::config
