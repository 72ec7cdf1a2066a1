#include "tools/crash/history/body.h"

#include <algorithm>
#include <random>

#include <boost/crc.hpp>

namespace wharf::crash {
namespace {

constexpr std::size_t kHeaderBytes = 12;

std::uint32_t Checksum(std::string_view bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

void Append(std::uint32_t number, std::string& body) {
  for (int shift = 0; shift < 32; shift += 8) body += static_cast<char>(number >> shift);
}

// What a client sends may look like the broker's own log: each fifth body is full of such records,
// of type FULL and without content.
std::string MakeLogRecords(std::size_t size) {
  std::string records;
  while (records.size() < size) records += std::string("\x05\x2b\x28\x43\x00\x00\x01", 7);
  records.resize(size);
  return records;
}

std::string MakeFiller(const MessageId& id, std::size_t size) {
  if (id.counter % 5 == 4) return MakeLogRecords(size);
  std::minstd_rand random(id.client * 2654435761U + id.counter + 1);
  std::string filler(size, '\0');
  std::generate(filler.begin(), filler.end(), [&] { return static_cast<char>(random() >> 8); });
  return filler;
}

}  // namespace

std::string MakeBody(const MessageId& id, std::size_t size) {
  const std::string filler = MakeFiller(id, size > kHeaderBytes ? size - kHeaderBytes : 0);
  std::string body;
  body.reserve(kHeaderBytes + filler.size());
  Append(id.client, body);
  Append(id.counter, body);
  Append(Checksum(filler), body);
  body += filler;
  body.resize(size);
  return body;
}

BodyDigest DigestOf(std::string_view body) {
  return {.size = body.size(), .checksum = Checksum(body)};
}

}  // namespace wharf::crash
