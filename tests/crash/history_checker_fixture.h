// HistoryCheckerTest: a run that a test makes up, and the rules that the checker says it broke.
//
// Used by the tests of the checker, a file for each kind of rule.
#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "tests/crash/history_maker.h"
#include "tools/crash/checks/history_checker.h"

namespace wharf::crash {

inline constexpr MessageId kOne{1, 1};
inline constexpr MessageId kTwo{1, 2};
inline constexpr MessageId kThree{1, 3};

inline std::vector<Rule> BrokenRules(HistoryMaker& run) {
  std::vector<Rule> rules;
  for (const Violation& violation : CheckHistory(run.history())) rules.push_back(violation.rule);
  return rules;
}

class HistoryCheckerTest : public testing::Test {
 protected:
  HistoryMaker run_;
};

}  // namespace wharf::crash
