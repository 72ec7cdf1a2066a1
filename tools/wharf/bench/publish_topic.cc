#include "tools/wharf/bench/publish_topic.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "tools/wharf/bench/bounds.h"
#include "tools/wharf/terminal/progress_ticker.h"

namespace wharf::tool {
namespace {

// Calls at a time: each waits for an fsync that they share.
constexpr std::size_t kThreads = 32;
// An application property of all messages, and its value.
constexpr const char* kProperty = "color";
constexpr const char* kValue = "red";

PublishTopicPlan WithSuffix(PublishTopicPlan plan) {
  plan.name = fmt::format("{}-{:08x}", plan.name, std::random_device()());
  return plan;
}

// Until one fails.
Status ForAll(const std::string& what, std::size_t count,
              const std::function<Status(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  struct {
    Mutex mutex;
    Status status ABSL_GUARDED_BY(mutex);
  } failure;
  const auto run = [&] {
    for (std::size_t index = next++; index < count; index = next++) {
      const Status done = work(index);
      if (done.ok()) continue;
      next = count;
      MutexLock lock(failure.mutex);
      failure.status = done;
    }
  };
  const ProgressTicker ticker(what, count, [&next] { return next.load(); });
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < std::min(count, kThreads); ++i) threads.emplace_back(run);
  for (std::thread& thread : threads) thread.join();
  MutexLock lock(failure.mutex);
  return failure.status;
}

}  // namespace

PublishTopic::PublishTopic(Program& program, PublishTopicPlan plan)
    : client_(program.client()),
      plan_(WithSuffix(std::move(plan))),
      cleanup_(program, fmt::format("the topic '{}'", plan_.name),
               [this] { return client_.topics().DeleteTopic(plan_.name); }) {}

Status PublishTopic::Create() {
  v1::TopicProperties topic;
  topic.set_name(plan_.name);
  topic.set_max_size_in_megabytes(kNoQuotaMegabytes);
  WHARF_RETURN_IF_ERROR(
      cleanup_.Make([&] { return client_.topics().CreateTopic(topic).status(); }));
  WHARF_RETURN_IF_ERROR(ForAll("subscriptions", plan_.subscriptions,
                               [this](std::size_t index) { return CreateSubscription(index); }));
  return ForAll("rules", plan_.sql_rules + plan_.correlation_rules,
                [this](std::size_t index) { return AddRule(index); });
}

client::SubscriptionId PublishTopic::IdOf(std::size_t index) const {
  return {.topic = plan_.name, .name = fmt::format("s{}", index % plan_.subscriptions)};
}

Status PublishTopic::CreateSubscription(std::size_t index) {
  const client::SubscriptionId id = IdOf(index);
  v1::CreateSubscriptionRequest request;
  request.mutable_subscription()->set_topic(id.topic);
  request.mutable_subscription()->set_name(id.name);
  if (!plan_.has_rules() && index < plan_.matching) {
    request.mutable_default_rule()->mutable_true_filter();
  } else {
    request.mutable_default_rule()->mutable_false_filter();
  }
  return client_.topics().CreateSubscription(request).status();
}

Status PublishTopic::AddRule(std::size_t index) {
  v1::Rule rule;
  rule.set_name(fmt::format("r{}", index));
  const std::string wanted = index < plan_.matching_rules ? kValue : rule.name();
  if (index < plan_.sql_rules) {
    rule.mutable_sql_filter()->set_text(fmt::format("{} = '{}'", kProperty, wanted));
  } else {
    auto& properties = *rule.mutable_correlation_filter()->mutable_application_properties();
    properties[kProperty].set_string_value(wanted);
  }
  return client_.topics().AddRule(IdOf(index), rule).status();
}

v1::Message PublishTopic::Message() const {
  v1::Message message;
  if (plan_.has_rules()) {
    (*message.mutable_application_properties())[kProperty].set_string_value(kValue);
  }
  return message;
}

Result<std::uint64_t> PublishTopic::CountCopies() {
  std::uint64_t copies = 0;
  std::string token;
  do {
    const auto page = client_.topics().ListSubscriptions(plan_.name, token);
    if (!page.ok()) return page.status();
    for (const auto& runtime : page->runtime()) {
      copies += static_cast<std::uint64_t>(runtime.total_message_count());
    }
    token = page->next_page_token();
  } while (!token.empty());
  return copies;
}

}  // namespace wharf::tool
