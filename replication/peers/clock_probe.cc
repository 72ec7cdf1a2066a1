#include "replication/peers/clock_probe.h"

#include <cstdint>

#include <boost/endian/conversion.hpp>

namespace wharf {
namespace {

namespace endian = boost::endian;

constexpr std::size_t kTimeBytes = 8;
// No clock is further away; what says more is noise, and would overflow.
constexpr Duration kOffsetMax = std::chrono::hours(24 * 366 * 100);

void Append(std::int64_t time, std::string& out) {
  std::uint8_t bytes[kTimeBytes];
  endian::store_little_s64(bytes, time);
  out.append(reinterpret_cast<const char*>(bytes), sizeof(bytes));
}

std::int64_t TimeAt(std::string_view bytes, std::size_t at) {
  return endian::load_little_s64(reinterpret_cast<const std::uint8_t*>(bytes.data()) + at);
}

std::int64_t Microseconds(Timestamp time) { return time.time_since_epoch().count(); }

}  // namespace

std::string ClockProbe::Ping(Duration steady_now) {
  std::string ping;
  Append(steady_now.count(), ping);
  return ping;
}

std::optional<std::string> ClockProbe::PongTo(std::string_view ping, Timestamp wall_now) {
  if (ping.size() != kTimeBytes) return std::nullopt;
  std::string pong(ping);
  Append(Microseconds(wall_now), pong);
  return pong;
}

bool ClockProbe::Take(std::string_view pong, Duration steady_now, Timestamp wall_now) {
  if (pong.size() != 2 * kTimeBytes) return false;
  const std::int64_t asked_at = TimeAt(pong, 0);
  const std::int64_t theirs = TimeAt(pong, kTimeBytes);
  if (asked_at < 0 || asked_at > steady_now.count()) return false;
  const Duration round_trip = steady_now - Duration(asked_at);
  // Half of the way ago, as far as anyone can tell.
  const std::int64_t ours = Microseconds(wall_now - round_trip / 2);
  if (theirs < 0 || theirs / 2 - ours / 2 > kOffsetMax.count() / 2) return false;
  readings_[next_++ % readings_.size()] = {.round_trip = round_trip,
                                           .clock_offset = Duration(theirs - ours)};
  return true;
}

std::optional<ClockProbe::Reading> ClockProbe::Best() const {
  std::optional<Reading> best;
  for (const auto& reading : readings_) {
    if (reading && (!best || reading->round_trip < best->round_trip)) best = reading;
  }
  return best;
}

}  // namespace wharf
