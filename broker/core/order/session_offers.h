// SessionOffers: the head of the sessions that may have something to deliver, in memory; the rest
// waits in the store.
//
// An offer is a lower bound: a session that has something to deliver has an offer at or below it.
// Its other offers may be stale, so a receiver that takes one up looks at the session first. Offers
// are taken up in the order of their numbers (SES-6), in turns if there are partitions.
// As with other windows, a reader brings what is lacking, and what it brings is checked against
// what happened meanwhile.
//
// Owned by a SessionBook, used on the shard's thread.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "broker/core/order/partition.h"
#include "storage/base/ids.h"

namespace wharf {

// Where an offer stands among the others.
struct OfferPlace {
  SequenceNumber number;
  std::string session;

  friend auto operator<=>(const OfferPlace& a, const OfferPlace& b) {
    return std::pair<std::uint64_t, std::string_view>(CountFirst(a.number), a.session) <=>
           std::pair<std::uint64_t, std::string_view>(CountFirst(b.number), b.session);
  }
  bool operator==(const OfferPlace&) const = default;
};

// What a reader shall bring, and what it brought: everything there is from `from` up to `covered`.
struct ReadOffers {
  OfferPlace from;
  std::size_t offers_max = 0;
};
struct OfferBatch {
  OfferPlace from;
  OfferPlace covered;
  std::vector<OfferPlace> offers;
  // Rows could not be read: their sessions may be offered elsewhere than they were, or not at all.
  bool lost_some = false;
};

class SessionOffers {
 public:
  using Offers = absl::btree_set<OfferPlace>;

  // Keeps up to `offers_max` in memory.
  explicit SessionOffers(std::size_t offers_max) : offers_max_(offers_max) {}

  // The offers in memory.
  const Offers& offers() const { return offers_; }
  // Whether there is none, here or in the store.
  bool is_exhausted() const;
  // Whether an offer that was made there will be taken up: it is in memory, or will be read.
  bool Knows(const OfferPlace& place) const { return place >= end_ || offers_.contains(place); }

  void Add(const OfferPlace& place);
  void Remove(const OfferPlace& place);
  void RemoveAll();

  // What to read, when few are left; then the read is under way.
  std::optional<ReadOffers> NextRead();
  void Take(const OfferBatch& batch);

 private:
  void Insert(const OfferPlace& place);

  const std::size_t offers_max_;
  Offers offers_;
  // Below it every offer is in memory.
  OfferPlace end_;
  bool is_reading_ = false;
  std::uint64_t epoch_ = 0;
  std::uint64_t reading_epoch_ = 0;
  absl::btree_set<OfferPlace> added_meanwhile_;
  absl::btree_set<OfferPlace> removed_meanwhile_;
};

}  // namespace wharf
