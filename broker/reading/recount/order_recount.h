// OrderRecount: holds the rows of one lane in `order` against its messages.
//
// Made by a Recount for a step, behind the messages, on a reader thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/reading/recount/message_row.h"
#include "broker/reading/recount/recount_page.h"

namespace wharf {

class OrderRecount {
 public:
  // `offered`: of sessions in order, the last one that was offered, from step to step.
  OrderRecount(const RecountPage& page, std::optional<std::string>& offered)
      : page_(page), offered_(offered) {}

  // Of a message that was counted: whether it has the row that it needs.
  static Status Check(const RecountPage& page, SequenceNumber number, const MessageFacts& facts,
                      Standing standing);

  // The next row.
  Status Take(std::string_view key, std::string_view value);

 private:
  Status CountLost(SequenceNumber number, const Result<Standing>& standing);
  Status Mend(const std::string& session, SequenceNumber number, const Result<Standing>& standing);
  Result<bool> IsRight(const MessageRow& message, const std::string& session, SequenceNumber number,
                       const Result<Standing>& standing) const;
  Status Offer(const std::string& session, SequenceNumber number, Standing standing);

  const RecountPage& page_;
  std::optional<std::string>& offered_;
};

}  // namespace wharf
