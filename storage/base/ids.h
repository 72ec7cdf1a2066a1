// Ids: numbers and tokens that cannot be mistaken for one another.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace wharf {

// An integer with a meaning: JobId and SequenceNumber do not convert into each other.
template <typename Tag, typename Number>
class StrongId {
 public:
  constexpr StrongId() = default;
  constexpr explicit StrongId(Number value) : value_(value) {}

  constexpr Number value() const { return value_; }
  constexpr StrongId Next() const { return StrongId(value_ + 1); }

  friend constexpr auto operator<=>(const StrongId&, const StrongId&) = default;

  template <typename H>
  friend H AbslHashValue(H state, const StrongId& id) {
    return H::combine(std::move(state), id.value_);
  }

 private:
  Number value_{};
};

// A part of all entities that one thread works on; which one an entity is in never changes.
using Bucket = std::uint8_t;
inline constexpr std::size_t kBuckets = 256;

// An entity's identity: its bucket in the 16 high bits, a number in the 48 low bits. No two
// entities have the same number, and none is ever reused, so that nothing of a deleted entity can
// appear in a new one of its name. Ids are in the order in which their entities were created; only
// their rows are in the order of buckets.
class EntityId {
 public:
  constexpr EntityId() = default;
  constexpr explicit EntityId(std::uint64_t value) : value_(value) {}
  constexpr EntityId(Bucket bucket, std::uint64_t number)
      : value_((std::uint64_t{bucket} << kNumberBits) | number) {}

  constexpr std::uint64_t value() const { return value_; }
  constexpr Bucket bucket() const { return static_cast<Bucket>(value_ >> kNumberBits); }
  constexpr std::uint64_t number() const {
    return value_ & ((std::uint64_t{1} << kNumberBits) - 1);
  }

  friend constexpr bool operator==(const EntityId&, const EntityId&) = default;
  friend constexpr auto operator<=>(const EntityId& one, const EntityId& other) {
    if (const auto order = one.number() <=> other.number(); order != 0) return order;
    return one.value_ <=> other.value_;
  }

  template <typename H>
  friend H AbslHashValue(H state, const EntityId& id) {
    return H::combine(std::move(state), id.value_);
  }

 private:
  static constexpr int kNumberBits = 48;

  std::uint64_t value_ = 0;
};

// The partition id in the 16 high bits, a gap-free counter from 1 in the 48 low bits.
using SequenceNumber = StrongId<struct SequenceNumberTag, std::uint64_t>;
// Behind every number.
inline constexpr SequenceNumber kNumberEnd{std::numeric_limits<std::uint64_t>::max()};

// The handle of a lock: 16 random bytes.
class LockToken {
 public:
  static constexpr std::size_t kSize = 16;

  constexpr LockToken() = default;
  constexpr LockToken(std::uint64_t high, std::uint64_t low) : high_(high), low_(low) {}

  // The zero token, which no lock has, if `bytes` has another length.
  static LockToken FromBytes(std::string_view bytes) {
    LockToken token;
    if (bytes.size() != kSize) return token;
    std::memcpy(&token.high_, bytes.data(), 8);
    std::memcpy(&token.low_, bytes.data() + 8, 8);
    return token;
  }

  std::string ToBytes() const {
    std::string bytes(kSize, '\0');
    std::memcpy(bytes.data(), &high_, 8);
    std::memcpy(bytes.data() + 8, &low_, 8);
    return bytes;
  }

  constexpr bool is_zero() const { return high_ == 0 && low_ == 0; }

  friend constexpr auto operator<=>(const LockToken&, const LockToken&) = default;

  template <typename H>
  friend H AbslHashValue(H state, const LockToken& token) {
    return H::combine(std::move(state), token.high_, token.low_);
  }

 private:
  std::uint64_t high_ = 0;
  std::uint64_t low_ = 0;
};

}  // namespace wharf
