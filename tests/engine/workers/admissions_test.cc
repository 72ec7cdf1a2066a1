// Room for what was asked and is not answered.

#include "broker/engine/turn/admissions.h"

#include <gtest/gtest.h>

#include "tests/heard_log.h"

namespace wharf {
namespace {

TEST(AdmissionsTest, WhatIsAdmittedTakesRoomUntilItIsOver) {
  Admissions admissions(10);
  Admission first = *admissions.Admit(6);
  EXPECT_EQ(admissions.Admit(5).status().code(), ErrorCode::kServiceBusy);
  const Result<Admission> second = admissions.Admit(4);
  EXPECT_TRUE(second.ok());
  first = Admission();
  EXPECT_TRUE(admissions.Admit(6).ok());
}

TEST(AdmissionsTest, WhoSettlesFindsRoomThatOthersHaveNot) {
  Admissions admissions(10);
  const Result<Admission> full = admissions.Admit(10);
  EXPECT_FALSE(admissions.Admit(1).ok());
  const Result<Admission> settling = admissions.Admit(10, Share::kSettling);
  EXPECT_TRUE(settling.ok());
  EXPECT_FALSE(admissions.Admit(1, Share::kSettling).ok());
}

TEST(AdmissionsTest, OneThatIsLargerThanAllOfTheRoomIsAdmittedAlone) {
  Admissions admissions(10);
  {
    const Result<Admission> large = admissions.Admit(1000);
    EXPECT_TRUE(large.ok());
    EXPECT_FALSE(admissions.Admit(1).ok());
  }
  const Result<Admission> small = admissions.Admit(1);
  EXPECT_TRUE(small.ok());
  EXPECT_FALSE(admissions.Admit(1000).ok());
}

TEST(AdmissionsTest, ItIsGivenBackOnceWhoeverHasItInTheEnd) {
  Admissions admissions(10);
  Admission held;
  {
    Admission first = *admissions.Admit(10);
    held = std::move(first);
  }
  EXPECT_FALSE(admissions.Admit(1).ok());
  held = Admission();
  EXPECT_TRUE(admissions.Admit(10).ok());
}

TEST(AdmissionsTest, ThatTheBoundIsNearIsToldOnceAndOverWhenHalfIsFree) {
  const HeardLog log;
  Admissions admissions(100);
  Admission first = *admissions.Admit(45);
  Admission second = *admissions.Admit(35);
  EXPECT_FALSE(admissions.is_near());
  Admission third = *admissions.Admit(1);
  EXPECT_TRUE(admissions.is_near());
  const Result<Admission> fourth = admissions.Admit(1);
  EXPECT_EQ(log.lines().size(), 1U);
  second = Admission();
  EXPECT_FALSE(admissions.is_near());
  EXPECT_TRUE(admissions.Admit(1).ok());
  const Result<Admission> fifth = admissions.Admit(10);
  EXPECT_FALSE(admissions.is_near()) << "it was over";
}

}  // namespace
}  // namespace wharf
