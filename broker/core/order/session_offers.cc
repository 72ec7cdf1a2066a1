#include "broker/core/order/session_offers.h"

namespace wharf {
bool SessionOffers::is_exhausted() const { return offers_.empty() && end_.number == kNumberEnd; }

void SessionOffers::Add(const OfferPlace& place) {
  if (place < end_) {
    Insert(place);
  } else if (is_reading_) {
    added_meanwhile_.insert(place);
  }
}

// Beyond the bound the last goes.
void SessionOffers::Insert(const OfferPlace& place) {
  offers_.insert(place);
  if (offers_.size() <= offers_max_) return;
  const auto last = std::prev(offers_.end());
  end_ = *last;
  offers_.erase(last);
  ++epoch_;
}

void SessionOffers::Remove(const OfferPlace& place) {
  offers_.erase(place);
  if (!is_reading_) return;
  removed_meanwhile_.insert(place);
  added_meanwhile_.erase(place);
}

void SessionOffers::RemoveAll() {
  offers_.clear();
  added_meanwhile_.clear();
  end_ = {kNumberEnd, std::string()};
  ++epoch_;
}

std::optional<ReadOffers> SessionOffers::NextRead() {
  if (is_reading_ || end_.number == kNumberEnd || offers_.size() > offers_max_ / 2)
    return std::nullopt;
  is_reading_ = true;
  reading_epoch_ = epoch_;
  return ReadOffers{end_, offers_max_ - offers_.size()};
}

void SessionOffers::Take(const OfferBatch& batch) {
  is_reading_ = false;
  if (reading_epoch_ == epoch_ && batch.from == end_) {
    end_ = batch.covered;
    for (const OfferPlace& place : batch.offers) {
      if (place < end_ && !removed_meanwhile_.contains(place)) Insert(place);
    }
    for (const OfferPlace& place : added_meanwhile_) {
      if (place < end_) Insert(place);
    }
  }
  added_meanwhile_.clear();
  removed_meanwhile_.clear();
}

}  // namespace wharf
