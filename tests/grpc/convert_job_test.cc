// Jobs, retry policies and what is named by number, on the wire and in the broker.

#include <limits>

#include <gtest/gtest.h>

#include "broker/doors/common/page_token.h"
#include "broker/doors/grpc/convert/convert.h"

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr Timestamp At(int second) { return Timestamp(seconds(second)); }
constexpr std::int64_t kYear10000 = 253402300800;

TEST(ConvertJobTest, AnOrderHasEverythingThatIsAskedFor) {  // RDR-1, RDR-3
  v1::StartRedriveRequest proto;
  proto.set_entity_path("orders/$DeadLetterQueue");
  proto.set_target("others");
  proto.set_max_rate(5);
  proto.set_dry_run(true);
  proto.mutable_selection()->set_dead_letter_reason("Bad");
  proto.mutable_selection()->mutable_enqueued_from()->set_seconds(1);
  proto.mutable_selection()->mutable_enqueued_before()->set_seconds(2);
  proto.mutable_selection()->add_sequence_numbers(7);
  proto.mutable_selection()->set_sql_filter("color = 'red'");

  EXPECT_EQ(*FromProto(proto), (JobOrder{.verb = JobVerb::kRedrive,
                                         .path = "orders/$DeadLetterQueue",
                                         .selection = {.dead_letter_reason = "Bad",
                                                       .enqueued_from = At(1),
                                                       .enqueued_before = At(2),
                                                       .numbers = {SequenceNumber(7)},
                                                       .sql_filter = "color = 'red'"},
                                         .target = "others",
                                         .rate_max = 5,
                                         .is_dry_run = true}));
}

TEST(ConvertJobTest, ADeletionOfEverything) {  // PRG-2
  v1::StartDeleteMessagesRequest proto;
  proto.set_entity_path("orders");

  EXPECT_EQ(*FromProto(proto), (JobOrder{.verb = JobVerb::kDeleteMessages, .path = "orders"}));
}

TEST(ConvertJobTest, ADeletionByFilter) {  // PRG-2
  v1::StartDeleteMessagesRequest proto;
  proto.mutable_selection()->set_sql_filter("n > 3 AND");  // Judged by the broker, not by the door.

  EXPECT_EQ(FromProto(proto)->selection.sql_filter, "n > 3 AND");
}

TEST(ConvertJobTest, ABadSelectionIsRefused) {  // ERR-16
  v1::StartRedriveRequest number;
  number.mutable_selection()->add_sequence_numbers(-1);
  v1::StartRedriveRequest from;
  from.mutable_selection()->mutable_enqueued_from()->set_seconds(kYear10000);
  v1::StartRedriveRequest before;
  before.mutable_selection()->mutable_enqueued_before()->set_nanos(-1);

  for (const v1::StartRedriveRequest& proto : {number, from, before}) {
    EXPECT_EQ(FromProto(proto).status().code(), ErrorCode::kArgumentOutOfRange);
  }
}

TEST(ConvertJobTest, AJobTellsHowFarItIs) {  // JOB-1
  JobRecord job{.id = JobId(3),
                .order = {.verb = JobVerb::kRedrive,
                          .path = "orders/$DeadLetterQueue",
                          .selection = {.dead_letter_reason = "Bad",
                                        .enqueued_from = At(1),
                                        .enqueued_before = At(2),
                                        .numbers = {SequenceNumber(7)},
                                        .sql_filter = "color = 'red'"},
                          .target = "others",
                          .rate_max = 5,
                          .is_dry_run = true},
                .looked_at = 10,
                .matched = 9,
                .done = 6,
                .left = 2,
                .error = "it is locked",
                .created_at = At(20)};

  v1::Job proto;
  ToProto(job, &proto);

  EXPECT_EQ(proto.id(), 3);
  EXPECT_EQ(proto.kind(), v1::Job::KIND_REDRIVE);
  EXPECT_EQ(proto.state(), v1::Job::STATE_RUNNING);
  EXPECT_EQ(proto.entity_path(), "orders/$DeadLetterQueue");
  EXPECT_EQ(proto.target(), "others");
  EXPECT_EQ(proto.selection().dead_letter_reason(), "Bad");
  EXPECT_EQ(proto.selection().enqueued_from().seconds(), 1);
  EXPECT_EQ(proto.selection().enqueued_before().seconds(), 2);
  EXPECT_EQ(proto.selection().sequence_numbers(0), 7);
  EXPECT_EQ(proto.selection().sql_filter(), "color = 'red'");
  EXPECT_EQ(proto.max_rate(), 5U);
  EXPECT_TRUE(proto.dry_run());
  EXPECT_EQ(proto.examined_count(), 10);
  EXPECT_EQ(proto.matched_count(), 9);
  EXPECT_EQ(proto.done_count(), 6);
  EXPECT_EQ(proto.left_count(), 2);
  EXPECT_EQ(proto.last_error(), "it is locked");
  EXPECT_EQ(proto.created_at().seconds(), 20);
  EXPECT_FALSE(proto.has_finished_at());

  job.finished_at = At(30);
  ToProto(job, &proto);
  EXPECT_EQ(proto.finished_at().seconds(), 30);
}

TEST(ConvertJobTest, EveryKindAndState) {
  const auto of = [](JobVerb verb, JobState state) {
    v1::Job proto;
    ToProto(JobRecord{.id = JobId(1), .order = {.verb = verb}, .state = state}, &proto);
    return proto;
  };

  EXPECT_EQ(of(JobVerb::kRedrive, JobState::kRunning).kind(), v1::Job::KIND_REDRIVE);
  EXPECT_EQ(of(JobVerb::kDeleteMessages, JobState::kRunning).kind(), v1::Job::KIND_DELETE_MESSAGES);
  EXPECT_EQ(of(JobVerb::kRedrive, JobState::kCompleted).state(), v1::Job::STATE_COMPLETED);
  EXPECT_EQ(of(JobVerb::kRedrive, JobState::kCancelled).state(), v1::Job::STATE_CANCELLED);
  EXPECT_EQ(of(JobVerb::kRedrive, JobState::kFailed).state(), v1::Job::STATE_FAILED);
}

TEST(ConvertJobTest, AnIdIsNotNegative) {
  EXPECT_EQ(*JobIdFromProto(4), JobId(4));
  EXPECT_EQ(JobIdFromProto(-1).status().code(), ErrorCode::kArgumentOutOfRange);
}

TEST(ConvertNumberTest, ANumberIsNotNegative) {  // ERR-16
  EXPECT_EQ(*NumberFromProto("sequence_number", 0), SequenceNumber(0));
  EXPECT_EQ(
      NumberFromProto("sequence_number", std::numeric_limits<std::int64_t>::min()).status().code(),
      ErrorCode::kArgumentOutOfRange);

  google::protobuf::RepeatedField<std::int64_t> protos;
  protos.Add(2);
  protos.Add(1);
  EXPECT_EQ(*NumbersFromProto(protos),
            (std::vector<SequenceNumber>{SequenceNumber(2), SequenceNumber(1)}));
  protos.Add(-1);
  EXPECT_EQ(NumbersFromProto(protos).status().code(), ErrorCode::kArgumentOutOfRange);
}

TEST(ConvertNumberTest, EveryPeekFilter) {  // BRW-1
  EXPECT_EQ(*FromProto(v1::PEEK_FILTER_ALL), PeekFilter::kAll);
  EXPECT_EQ(*FromProto(v1::PEEK_FILTER_ACTIVE), PeekFilter::kActive);
  EXPECT_EQ(*FromProto(v1::PEEK_FILTER_DELAYED), PeekFilter::kDelayed);
  EXPECT_EQ(*FromProto(v1::PEEK_FILTER_DEFERRED), PeekFilter::kDeferred);
  EXPECT_EQ(*FromProto(v1::PEEK_FILTER_SCHEDULED), PeekFilter::kScheduled);
  EXPECT_EQ(*FromProto(v1::PEEK_FILTER_QUARANTINED), PeekFilter::kQuarantined);
  EXPECT_EQ(FromProto(static_cast<v1::PeekFilter>(9)).status().code(), ErrorCode::kArgumentError);
}

TEST(ConvertNumberTest, TwoVerbsSettleByNumber) {  // ONE-1
  v1::SettleBySequenceNumberRequest proto;
  EXPECT_EQ(FromProto(proto).status().code(), ErrorCode::kArgumentError);

  proto.mutable_complete();
  EXPECT_EQ(FromProto(proto)->verb, SettleVerb::kComplete);

  proto.mutable_dead_letter()->set_reason("Bad");
  (*proto.mutable_dead_letter()->mutable_properties_to_modify())["a"].set_bool_value(true);
  EXPECT_EQ(FromProto(proto)->verb, SettleVerb::kDeadLetter);
  EXPECT_EQ(FromProto(proto)->reason, "Bad");
  EXPECT_EQ(FromProto(proto)->properties_to_modify, (PropertyMap{{"a", true}}));
}

TEST(ConvertRetryPolicyTest, WhatIsAbsentHasItsDefault) {  // RTY-1
  EXPECT_EQ(*FromProto(v1::RetryPolicy()),
            (RetryPolicy{Backoff::kFixed, seconds(1), hours(24 * 7), 0}));
}

TEST(ConvertRetryPolicyTest, EveryBackoffGoesThereAndBack) {
  for (const Backoff backoff : {Backoff::kFixed, Backoff::kLinear, Backoff::kExponential}) {
    const RetryPolicy policy{backoff, seconds(2), seconds(30), 0.5};
    v1::RetryPolicy proto;
    ToProto(policy, &proto);
    EXPECT_EQ(*FromProto(proto), policy);
  }
}

TEST(ConvertRetryPolicyTest, BadOnesAreRefused) {  // ERR-15, ERR-16
  v1::RetryPolicy backoff;
  backoff.set_backoff(static_cast<v1::RetryPolicy::Backoff>(9));
  EXPECT_EQ(FromProto(backoff).status().code(), ErrorCode::kArgumentError);

  v1::RetryPolicy base;
  base.mutable_base()->set_nanos(1000000000);
  EXPECT_EQ(FromProto(base).status().code(), ErrorCode::kArgumentOutOfRange);

  v1::RetryPolicy cap;
  cap.mutable_cap()->set_seconds(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(FromProto(cap).status().code(), ErrorCode::kArgumentOutOfRange);
}

TEST(PageTokenTest, GoesThereAndBack) {  // SCX-1, JOB-1
  for (const ScheduledTime at :
       {ScheduledTime{At(90) + Duration(5), SequenceNumber(7)},
        ScheduledTime{At(-90), SequenceNumber(std::numeric_limits<std::uint64_t>::max())}}) {
    EXPECT_EQ(*ScheduledTimeFromPageToken(PageTokenOf(at)), at);
  }
  EXPECT_EQ(*JobIdFromPageToken(PageTokenOf(JobId(12))), JobId(12));
}

TEST(PageTokenTest, WithoutOneAListBeginsAtItsBeginning) {
  EXPECT_EQ(*ScheduledTimeFromPageToken(""), (ScheduledTime{Timestamp::min(), SequenceNumber()}));
  EXPECT_EQ(*JobIdFromPageToken(""), JobId());
}

TEST(PageTokenTest, AnythingElseIsRefused) {  // ERR-15
  for (const char* token : {"x", "1", "1-", "-", "1-x", "1-2x", "1-2-3", " 1-2", "1--2",
                            "99999999999999999999-1", "1-99999999999999999999"}) {
    EXPECT_EQ(ScheduledTimeFromPageToken(token).status().code(), ErrorCode::kArgumentError)
        << token;
  }
  for (const char* token : {"x", "-1", "1x", "99999999999999999999"}) {
    EXPECT_EQ(JobIdFromPageToken(token).status().code(), ErrorCode::kArgumentError) << token;
  }
}

}  // namespace
}  // namespace wharf
