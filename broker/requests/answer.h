// Answer: how a caller hears of what it asked for.
#pragma once

#include "absl/functional/any_invocable.h"
#include "storage/base/status.h"

namespace wharf {

// Called exactly once, on any thread, after what it tells is durable. Must return quickly.
template <typename T>
using Answer = absl::AnyInvocable<void(Result<T>) &&>;

// Of a request: its struct names what it is answered with.
template <typename Request>
using AnswerTo = Answer<typename Request::Response>;

}  // namespace wharf
