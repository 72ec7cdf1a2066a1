// AskAll: asks the broker for many things, and waits for the answers.
//
// For who has a thread to wait on: the main thread, before clients come. They are asked in their
// order and so many at a time that a turn takes many of them, with one sync, and no inbox is
// filled.
#pragma once

#include <algorithm>
#include <cstddef>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "broker/requests/requests.h"

namespace wharf::emulator {

inline constexpr std::size_t kAskedAtOnce = 64;

template <typename Request>
std::future<Result<typename Request::Response>> AskOne(Requests& broker, Request request) {
  using Outcome = Result<typename Request::Response>;
  auto told = std::make_shared<std::promise<Outcome>>();
  std::future<Outcome> answer = told->get_future();
  broker.Ask(Caller{.tracking_id = NewTrackingId()}, std::move(request),
             [told](Outcome outcome) { told->set_value(std::move(outcome)); });
  return answer;
}

// One answer for each, in their order.
template <typename Request>
std::vector<Result<typename Request::Response>> AskAll(Requests& broker,
                                                       std::vector<Request> requests) {
  std::vector<Result<typename Request::Response>> answers;
  for (std::size_t from = 0; from < requests.size(); from += kAskedAtOnce) {
    std::vector<std::future<Result<typename Request::Response>>> asked;
    const std::size_t to = std::min(from + kAskedAtOnce, requests.size());
    for (std::size_t i = from; i < to; ++i) {
      asked.push_back(AskOne(broker, std::move(requests[i])));
    }
    for (auto& answer : asked) answers.push_back(answer.get());
  }
  return answers;
}

}  // namespace wharf::emulator
