// The credit of a link, from both of its ends. Credit is absolute: what a receiver says replaces
// what it said before, and may be less.
#pragma once

#include <algorithm>
#include <cstdint>

#include "broker/doors/amqp/endpoint/serial.h"
#include "broker/doors/amqp/types/composites.h"

namespace wharf::amqp {

// What a sender may use.
class SenderCredit {
 public:
  explicit SenderCredit(std::uint32_t first) : first_(first), delivery_count_(first) {}

  std::uint32_t credit() const { return credit_; }
  std::uint32_t delivery_count() const { return delivery_count_; }
  bool is_draining() const { return is_draining_; }

  // The receiver counts from what it has seen; what left since then is taken off.
  void OnFlow(const Flow& flow) {
    const std::uint32_t given = flow.link_credit.value_or(0);
    const std::int32_t left = SerialDistance(delivery_count_, flow.delivery_count.value_or(first_));
    const auto used = static_cast<std::uint32_t>(std::max(0, left));
    credit_ = given - std::min(given, used);
    is_draining_ = flow.drain;
  }
  // A delivery leaves.
  void Use() {
    ++delivery_count_;
    --credit_;
  }
  // As if deliveries had used it all.
  void GiveBack() {
    delivery_count_ += credit_;
    credit_ = 0;
  }

 private:
  const std::uint32_t first_;
  std::uint32_t delivery_count_;
  std::uint32_t credit_ = 0;
  bool is_draining_ = false;
};

// What a receiver has given. After it took some back, deliveries that left before the sender heard
// of it may still come: a sender is held to the most that it ever had.
class ReceiverCredit {
 public:
  std::uint32_t credit() const { return credit_; }
  std::uint32_t delivery_count() const { return delivery_count_; }
  bool is_draining() const { return is_draining_; }

  // The initial-delivery-count of the sender.
  void Begin(std::uint32_t delivery_count) {
    delivery_count_ = delivery_count;
    end_ever_ = delivery_count + credit_;
  }
  void Give(std::uint32_t credit) {
    credit_ = credit;
    is_draining_ = false;
    const std::uint32_t end = delivery_count_ + credit;
    if (SerialLess(end_ever_, end)) end_ever_ = end;
  }
  void Drain() { is_draining_ = true; }
  // A delivery begins; false if it was never allowed.
  bool Use() {
    if (delivery_count_ == end_ever_) return false;
    ++delivery_count_;
    if (credit_ > 0) --credit_;
    return true;
  }
  // What the sender tells of itself; whether a drain has ended by it.
  bool OnFlow(const Flow& flow) {
    const std::int32_t moved =
        SerialDistance(flow.delivery_count.value_or(delivery_count_), delivery_count_);
    if (moved > 0 && static_cast<std::uint32_t>(moved) <= end_ever_ - delivery_count_) {
      delivery_count_ += static_cast<std::uint32_t>(moved);
      credit_ -= std::min(credit_, static_cast<std::uint32_t>(moved));
    }
    const bool has_drained = is_draining_ && (credit_ == 0 || flow.link_credit == 0U);
    if (has_drained) {
      is_draining_ = false;
      credit_ = 0;
    }
    return has_drained;
  }

 private:
  std::uint32_t delivery_count_ = 0;
  std::uint32_t credit_ = 0;
  // Up to where deliveries were ever allowed.
  std::uint32_t end_ever_ = 0;
  bool is_draining_ = false;
};

}  // namespace wharf::amqp
