// HeldExecutor: keeps what is posted until the test runs it.
#pragma once

#include <deque>
#include <utility>

#include "storage/base/executor.h"

namespace wharf {

struct HeldExecutor final : Executor {
  void Post(Work work) override { works.push_back(std::move(work)); }
  // The oldest.
  void RunOne() {
    Work work = std::move(works.front());
    works.pop_front();
    std::move(work)();
  }
  std::deque<Work> works;
};

}  // namespace wharf
