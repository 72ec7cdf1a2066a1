// Reply: how an answer waits for the commit of the turn that it was planned in.
//
// Used by Broker, on the shard's thread.
#pragma once

#include <utility>
#include <variant>

#include "broker/engine/broker.h"

namespace wharf {

template <typename T>
void Reply(Turn& turn, Answer<T> answer, Result<T> result) {
  turn.OnPublish(
      [answer = std::move(answer), result = std::move(result)](const Status& committed) mutable {
        std::move(answer)(committed.ok() ? std::move(result) : Result<T>(committed));
      });
}

// The same with what a reader finds in the store when the turn is in it. `read` gets a view.
template <typename T, typename Read>
void ReplyFromStore(Turn& turn, Executor& readers, const Store& store, Answer<T> answer,
                    Read read) {
  turn.OnPublish([&readers, &store, answer = std::move(answer),
                  read = std::move(read)](const Status& committed) mutable {
    if (!committed.ok()) return std::move(answer)(committed);
    readers.Post([&store, answer = std::move(answer), read = std::move(read)]() mutable {
      std::move(answer)(Result<T>(read(*store.View())));
    });
  });
}

// The answer of what has nothing to tell but that it is done.
inline Result<std::monostate> Done(Status status) {
  if (!status.ok()) return status;
  return std::monostate();
}

}  // namespace wharf
