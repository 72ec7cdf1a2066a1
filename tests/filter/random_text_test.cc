// Texts by chance: whatever is sent, the parser answers, and what it accepts can be evaluated.
// filter_fuzz goes on where this ends.
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tests/filter/judge.h"
#include "tests/filter/word_salad.h"
#include "tests/seed_note.h"

namespace wharf {
namespace {

constexpr std::uint64_t kSeed = 2026;
constexpr int kTexts = 4000;

TEST(RandomTextTest, AnyWordsAreAFilterOrAnError) {
  const SeedNote note("seed " + std::to_string(kSeed));
  WordSalad salad(kSeed);
  for (int i = 0; i < kTexts; ++i) TryText(salad.Words());
}

TEST(RandomTextTest, WhatFollowsTheGrammarIsAFilter) {
  const SeedNote note("seed " + std::to_string(kSeed));
  WordSalad salad(kSeed);
  for (int i = 0; i < kTexts; ++i) {
    const std::string text = salad.Filter();
    EXPECT_TRUE(TryText(text)) << text << ": " << Judge(text);
  }
}

TEST(RandomTextTest, DamagedFiltersAreFiltersOrErrors) {
  const SeedNote note("seed " + std::to_string(kSeed));
  WordSalad salad(kSeed);
  for (int i = 0; i < kTexts; ++i) TryText(salad.Damaged(salad.Filter()));
}

TEST(RandomTextTest, AnyActionIsAppliedOrAnError) {
  const SeedNote note("seed " + std::to_string(kSeed));
  WordSalad salad(kSeed);
  for (int i = 0; i < kTexts; ++i) {
    const std::string filter = salad.Filter();
    TryText("SET color = " + filter.substr(0, filter.find(' ')) +
            " SET sys.Label = " + salad.Words());
  }
}

}  // namespace
}  // namespace wharf
