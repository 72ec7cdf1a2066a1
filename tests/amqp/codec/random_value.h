// RandomValue: any tree of values, the same for the same seed; and the same bytes in other
// encodings than ours.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "broker/doors/amqp/codec/value.h"

namespace wharf::amqp {

using Generator = std::mt19937_64;

// Nested at most this deep below itself.
Value RandomValue(Generator& random, int depth = 4);
Value RandomValueOf(Type type, Generator& random, int depth);

// Changes, cuts, repeats or drops some bytes.
void Spoil(std::string& bytes, Generator& random);

}  // namespace wharf::amqp
