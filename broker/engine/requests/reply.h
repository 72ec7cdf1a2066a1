// Reply: how an answer waits for the commit of the turn that it was planned in.
//
// Used by handlers, on the shard's thread.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include "broker/engine/turn/turn.h"
#include "broker/reading/readers.h"
#include "broker/requests/answer.h"
#include "broker/requests/send_requests.h"
#include "broker/requests/settle_requests.h"

namespace wharf {

// What it takes to tell of a few messages that they were sent, settled or renewed.
inline constexpr std::size_t kBriefReceiptMax = 8;

// Answers with messages, pages or descriptions are not.
template <typename T>
Tellings::Length LengthOf(const Result<T>& result) {
  bool is_brief = !result.ok() || std::is_same_v<T, std::monostate>;
  if constexpr (std::is_same_v<T, SendReceipt> || std::is_same_v<T, SettleReceipt> ||
                std::is_same_v<T, RenewReceipt>) {
    is_brief = is_brief || result->size() <= kBriefReceiptMax;
  }
  return is_brief ? Tellings::Length::kBrief : Tellings::Length::kAny;
}

template <typename T>
void Reply(Turn& turn, Answer<T> answer, Result<T> result) {
  const Tellings::Length length = LengthOf(result);
  turn.Tell(
      [answer = std::move(answer), result = std::move(result)](const Status& committed) mutable {
        std::move(answer)(committed.ok() ? std::move(result) : Result<T>(committed));
      },
      length);
}

// Of what was begun in turns before: whether that is durable nobody knows.
template <typename T>
void ReplyUnknown(Turn& turn, Answer<T> answer, const Status& reason) {
  turn.Tell([answer = std::move(answer),
             unknown = Status(reason.code(), reason.message(), Outcome::kUnknown)](
                const Status&) mutable { std::move(answer)(unknown); });
}

// The answer of what has nothing to tell but that it is done.
inline Result<std::monostate> Done(Status status) {
  if (!status.ok()) return status;
  return std::monostate();
}

// Answers that readers find in the store.
struct StoreReplies {
  const Readers& readers;

  // Answers with what `read` finds, given a view, when the turn is in the store.
  template <typename T, typename Read>
  void Reply(Turn& turn, Answer<T> answer, Read read) const {
    turn.OnCommitted([*this, answer = std::move(answer), read = std::move(read)](
                         const Status& committed, Tellings& tellings) mutable {
      if (committed.ok()) return Now(std::move(answer), std::move(read));
      tellings.Add([answer = std::move(answer)](const Status& failed) mutable {
        std::move(answer)(failed);
      });
    });
  }
  // The same without a turn: of what is known to be in the store.
  template <typename T, typename Read>
  void Now(Answer<T> answer, Read read) const {
    readers.Read(Urgency::kAwaited,
                 [answer = std::move(answer), read = std::move(read)](
                     const StoreView& view) mutable { std::move(answer)(Result<T>(read(view))); });
  }
};

}  // namespace wharf
