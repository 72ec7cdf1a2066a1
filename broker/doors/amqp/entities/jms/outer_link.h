// OuterLink: a link that first makes what it leads to, and is then what another link is. The base
// of those that JMS makes something for; on the strand of the connection.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "broker/doors/amqp/entities/links/node_link.h"

namespace wharf::amqp {

class OuterLink : public NodeLink {
 public:
  void OnDelivered(const Delivered& part) override {
    if (inner_ != nullptr) inner_->OnDelivered(part);
  }
  void OnCredit(const CreditGiven& credit) override {
    if (inner_ != nullptr) return inner_->OnCredit(credit);
    early_ = credit;
  }
  void OnDisposed(const std::vector<DeliveryId>& deliveries, const Disposed& disposed) override {
    if (inner_ != nullptr) inner_->OnDisposed(deliveries, disposed);
  }
  void OnHeard() override {
    if (inner_ != nullptr) inner_->OnHeard();
  }
  void Send() override {
    if (inner_ != nullptr) inner_->Send();
  }
  void OnWritten() override {
    if (inner_ != nullptr) inner_->OnWritten();
  }
  void Renew(const access::PermitPtr& permit) override {
    if (inner_ != nullptr) inner_->Renew(permit);
  }
  void End() override {
    if (inner_ != nullptr) inner_->End();
  }
  void Close() override {
    if (inner_ != nullptr) inner_->Close();
  }

 protected:
  // What it is from now on: it has begun.
  void Become(std::shared_ptr<NodeLink> inner) {
    inner_ = std::move(inner);
    if (const std::optional<CreditGiven> early = std::exchange(early_, std::nullopt)) {
      inner_->OnCredit(*early);
    }
  }

 private:
  // Null before it is there.
  std::shared_ptr<NodeLink> inner_{};
  // What a client gave that did not wait for the answer to its attach; absolute, so the last one
  // counts.
  std::optional<CreditGiven> early_{};
};

}  // namespace wharf::amqp
