// Reply: how an answer waits for the commit of the turn that it was planned in.
//
// Used by Broker, on the shard's thread.
#pragma once

#include <utility>

#include "broker/engine/broker.h"

namespace wharf {

template <typename T>
void Reply(Turn& turn, Answer<T> answer, Result<T> result) {
  turn.OnPublish(
      [answer = std::move(answer), result = std::move(result)](const Status& committed) mutable {
        std::move(answer)(committed.ok() ? std::move(result) : Result<T>(committed));
      });
}

}  // namespace wharf
