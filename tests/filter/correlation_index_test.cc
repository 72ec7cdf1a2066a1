#include "broker/filter/correlation_index.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/ascii.h"
#include "tests/seed_note.h"

namespace wharf {
namespace {

using Ids = std::vector<CorrelationIndex::Id>;

Ids MatchesOf(const CorrelationIndex& index, const Message& message) {
  Ids ids;
  index.Match(MessageView(message), ids);
  std::sort(ids.begin(), ids.end());
  return ids;
}

// Small worlds, so that filters and messages often agree.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : generator_(seed) {}

  std::uint64_t Below(std::uint64_t end) { return generator_() % end; }
  std::optional<std::string> Text() {
    if (Below(3) != 0) return std::nullopt;
    return Below(8) == 0 ? std::string() : std::string(1, static_cast<char>('a' + Below(3)));
  }
  PropertyValue Value() {
    const auto small = static_cast<std::int64_t>(Below(3)) - 1;
    switch (Below(8)) {
      case 0:
        return small;
      case 1:
        return static_cast<std::int8_t>(small);
      case 2:
        return static_cast<std::uint16_t>(Below(3));
      case 3:
        return static_cast<double>(small);
      case 4:
        return std::to_string(small);
      case 5:
        return small > 0;
      case 6:
        return Decimal{std::to_string(small) + ".0"};
      default:
        return static_cast<double>(small) + 0.5;
    }
  }
  // Names that differ, also without regard to case.
  PropertyMap Properties() {
    PropertyMap properties;
    for (const char* const name : {"color", "size", "brand"}) {
      if (Below(3) != 0) continue;
      std::string cased = name;
      if (Below(2) == 0) absl::AsciiStrToUpper(&cased);
      properties.emplace_back(cased, Value());
    }
    return properties;
  }

 private:
  std::mt19937_64 generator_;
};

CorrelationFilter RandomFilter(Chance& chance) {
  return {.correlation_id = chance.Text(),
          .to = chance.Text(),
          .subject = chance.Text(),
          .application_properties = chance.Properties()};
}

Message RandomMessage(Chance& chance) {
  Message message;
  message.correlation_id = chance.Text();
  message.to = chance.Text();
  message.subject = chance.Text();
  message.application_properties = chance.Properties();
  return message;
}

// The rules again, as simply as can be.
std::optional<double> NumberIn(const PropertyValue& value) {
  return std::visit(
      [](const auto& held) -> std::optional<double> {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, Decimal>) {
          return std::stod(held.text);
        } else if constexpr (std::is_arithmetic_v<Held> && !std::is_same_v<Held, bool>) {
          return static_cast<double>(held);
        } else {
          return std::nullopt;
        }
      },
      value);
}

bool Equal(const PropertyValue& a, const PropertyValue& b) {
  if (NumberIn(a) || NumberIn(b)) return NumberIn(a) == NumberIn(b);
  return a == b;
}

bool Agrees(const std::optional<std::string>& wanted, const std::optional<std::string>& value) {
  return !wanted || wanted->empty() || wanted == value;
}

bool Agrees(const std::pair<std::string, PropertyValue>& wanted, const PropertyMap& properties) {
  return std::any_of(properties.begin(), properties.end(), [&](const auto& property) {
    return absl::AsciiStrToLower(property.first) == absl::AsciiStrToLower(wanted.first) &&
           Equal(property.second, wanted.second);
  });
}

bool Agrees(const CorrelationFilter& filter, const Message& message) {
  return Agrees(filter.correlation_id, message.correlation_id) && Agrees(filter.to, message.to) &&
         Agrees(filter.subject, message.subject) &&
         std::all_of(
             filter.application_properties.begin(), filter.application_properties.end(),
             [&](const auto& wanted) { return Agrees(wanted, message.application_properties); });
}

Ids Oracle(const std::vector<std::pair<CorrelationFilter, CorrelationIndex::Id>>& filters,
           const Message& message) {
  Ids ids;
  for (const auto& [filter, id] : filters) {
    if (Agrees(filter, message)) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

TEST(CorrelationIndexTest, ItFindsWhatLookingAtEveryFilterFinds) {  // COR-3, COR-9
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const SeedNote note("seed " + std::to_string(seed));
    Chance chance(seed);
    CorrelationIndex index;
    std::vector<std::pair<CorrelationFilter, CorrelationIndex::Id>> filters;

    for (CorrelationIndex::Id id = 0; id < 100; ++id) {
      CorrelationFilter filter = RandomFilter(chance);
      if (!Check(filter).ok()) continue;
      index.Add(filter, id);
      filters.emplace_back(std::move(filter), id);
      if (chance.Below(4) == 0) {
        const auto gone =
            filters.begin() + static_cast<std::ptrdiff_t>(chance.Below(filters.size()));
        index.Remove(gone->first, gone->second);
        filters.erase(gone);
      }
      const Message message = RandomMessage(chance);
      ASSERT_EQ(MatchesOf(index, message), Oracle(filters, message));
    }
    for (const auto& [filter, id] : filters) index.Remove(filter, id);
    EXPECT_TRUE(index.empty());
  }
}

TEST(CorrelationIndexTest, FiltersMayWantTheSame) {
  CorrelationIndex index;
  index.Add({.subject = "x"}, 1);
  index.Add({.subject = "x"}, 2);
  index.Add({.subject = "y"}, 3);
  Message message;
  message.subject = "x";

  EXPECT_EQ(MatchesOf(index, message), (Ids{1, 2}));
  index.Remove({.subject = "x"}, 1);
  EXPECT_EQ(MatchesOf(index, message), (Ids{2}));
}

// The work of adding and removing them once grew with the square of their number.
TEST(CorrelationIndexTest, EachOfManyFiltersMayCompareAPropertyOfItsOwn) {
  constexpr CorrelationIndex::Id kFilters = 100'000;
  const auto filter = [](CorrelationIndex::Id id) {
    return CorrelationFilter{.application_properties = {{"p" + std::to_string(id), true}}};
  };
  CorrelationIndex index;
  for (CorrelationIndex::Id id = 0; id < kFilters; ++id) index.Add(filter(id), id);
  Message message;
  message.application_properties = {{"P70000", true}, {"p80000", true}, {"p90000", false}};

  EXPECT_EQ(MatchesOf(index, message), (Ids{70'000, 80'000}));
  for (CorrelationIndex::Id id = 0; id < kFilters; ++id) index.Remove(filter(id), id);
  EXPECT_TRUE(index.empty());
}

// The same.
TEST(CorrelationIndexTest, ManyFiltersMayWantTheSame) {
  constexpr CorrelationIndex::Id kFilters = 100'000;
  CorrelationIndex index;
  for (CorrelationIndex::Id id = 0; id < kFilters; ++id) index.Add({.subject = "x"}, id);
  Message message;
  message.subject = "x";

  EXPECT_EQ(MatchesOf(index, message).size(), kFilters);
  for (CorrelationIndex::Id id = kFilters; id-- > 0;) index.Remove({.subject = "x"}, id);
  EXPECT_TRUE(index.empty());
}

TEST(CorrelationIndexTest, RemovingWhatIsNotThereChangesNothing) {
  CorrelationIndex index;
  index.Add({.subject = "x"}, 1);

  index.Remove({.subject = "x"}, 2);
  index.Remove({.subject = "y"}, 1);
  index.Remove({.to = "x"}, 1);

  Message message;
  message.subject = "x";
  EXPECT_EQ(MatchesOf(index, message), (Ids{1}));
}

// Where a value ends is a part of the key.
TEST(CorrelationIndexTest, NeighbouringValuesDoNotRunIntoEachOther) {
  CorrelationIndex index;
  index.Add({.correlation_id = "ab", .subject = "c"}, 1);
  index.Add({.application_properties = {{"x", std::string("ab")}, {"y", std::string("c")}}}, 2);
  Message message;
  message.correlation_id = "a";
  message.subject = "bc";
  message.application_properties = {{"x", std::string("a")}, {"y", std::string("bc")}};

  EXPECT_EQ(MatchesOf(index, message), Ids{});
}

}  // namespace
}  // namespace wharf
