#include "broker/reading/page_filter.h"

#include <utility>

namespace wharf {
namespace {

// Of the properties that one page asks a filter about.
constexpr std::int64_t kBytesMax = 16 * 1024 * 1024;
// What the LIKEs of one page may cost, a tenth of a second or so; one message more at most.
constexpr std::size_t kLikeStepsMax = 64 * 1024 * 1024;

}  // namespace

Result<std::shared_ptr<const SqlFilter>> PageCondition::FilterOf(std::string text) {
  if (text.empty()) return std::shared_ptr<const SqlFilter>();
  Result<SqlFilter> filter = SqlFilter::Compile(std::move(text));
  if (!filter.ok()) return filter.status();
  return std::make_shared<const SqlFilter>(*std::move(filter));
}

PageCondition PageCondition::Of(std::shared_ptr<const SqlFilter> filter, Random& random) {
  const std::uint64_t seed = filter == nullptr ? 0 : random.Next();
  return {std::move(filter), seed};
}

bool PageFilter::Takes(const StoredMessage& message, const Delivery& delivery, MessageState state) {
  if (filter_ == nullptr) return true;
  bytes_ += PropertiesSizeOf(message.message);
  const MessageView view(message.message, BrokerPropertiesOf(message, delivery, state),
                         delivery.changed_properties.get());
  const Result<Truth> truth = filter_->Evaluate(view, random_, like_steps_);
  return truth.ok() && *truth == Truth::kTrue;
}

bool PageFilter::is_spent() const { return bytes_ > kBytesMax || like_steps_ > kLikeStepsMax; }

}  // namespace wharf
