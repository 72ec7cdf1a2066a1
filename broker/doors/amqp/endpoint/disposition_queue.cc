#include "broker/doors/amqp/endpoint/disposition_queue.h"

#include <utility>

namespace wharf::amqp {

void DispositionQueue::Add(DeliveryId delivery, Said said, std::uint16_t channel,
                           FrameWriter& out) {
  if (range_.has_value() && range_->said == said) {
    if (delivery == range_->last.Next()) {
      range_->last = delivery;
      return;
    }
    if (delivery.Next() == range_->first) {
      range_->first = delivery;
      return;
    }
  }
  Flush(channel, out);
  range_ = Range{.said = std::move(said), .first = delivery, .last = delivery};
}

void DispositionQueue::Flush(std::uint16_t channel, FrameWriter& out) {
  if (!range_.has_value()) return;
  Disposition disposition;
  disposition.role = range_->said.role;
  disposition.first = static_cast<std::uint32_t>(range_->first.value());
  if (range_->last != range_->first) {
    disposition.last = static_cast<std::uint32_t>(range_->last.value());
  }
  disposition.settled = range_->said.is_settled;
  disposition.state = std::move(range_->said.state);
  range_.reset();
  out.Write(channel, disposition);
}

}  // namespace wharf::amqp
