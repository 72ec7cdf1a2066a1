// Rules and tokens that tests of access begin with.
#pragma once

#include <chrono>
#include <string>

#include "broker/access/book.h"
#include "broker/access/token.h"

namespace wharf::access {

inline const std::string kKeyOne = "5lmOWYd5cf9ZlXLCsv5yDgCD8ai2NQdCHXbXp6Tjw2E=";
inline const std::string kKeyTwo = "c2Vjb25kYXJ5IGtleSBvZiB0aGUgc2FtcGxlIHJ1bGU=";
inline const std::string kKeyThree = "dGhpcmQga2V5LCB3aGljaCBubyBydWxlIGhhcyB5ZXQ=";

inline constexpr Timestamp kSampleNow = Timestamp(std::chrono::seconds(1'700'000'000));
inline constexpr Timestamp kSampleLater = kSampleNow + std::chrono::hours(1);

inline AccessRule SampleRule(std::string name, Rights rights) {
  return {std::move(name), rights, kKeyOne, kKeyTwo, kSampleNow};
}

}  // namespace wharf::access
