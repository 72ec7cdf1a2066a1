// PageFilter: which messages of a page an SQL filter takes, and when the page has cost enough.
//
// A filter can make a look at a message dear, so rows alone do not bound the work for a page. Made
// by a reader for one page, on the reader's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "broker/filter/sql_filter.h"
#include "storage/base/random.h"

namespace wharf {

// What a peek or a job asks of messages beside all else.
struct PageCondition {
  // Null: everything is taken.
  std::shared_ptr<const SqlFilter> filter{};
  // What newid() begins with.
  std::uint64_t seed = 0;

  // With chance for newid(), which is only drawn if there is a filter.
  static PageCondition Of(std::shared_ptr<const SqlFilter> filter, Random& random);
  // An empty text is no filter. FilterException if it does not parse.
  static Result<std::shared_ptr<const SqlFilter>> FilterOf(std::string text);
};

class PageFilter {
 public:
  explicit PageFilter(const PageCondition& condition)
      : filter_(condition.filter.get()), random_(condition.seed) {}

  // A message that the filter cannot reckon with is not taken (BRW-1, RDR-3).
  bool Takes(const StoredMessage& message, const Delivery& delivery, MessageState state);

  // No more messages should be asked about; never true before the first.
  bool is_spent() const;

 private:
  const SqlFilter* const filter_;
  SeededRandom random_;
  std::int64_t bytes_ = 0;
  std::size_t like_steps_ = 0;
};

}  // namespace wharf
