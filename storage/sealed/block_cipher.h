// BlockCipher: many blocks with one key, which is encrypted to a recipient: of a file that grows.
//
//   wrapped = length (4, big-endian) · head (length) · sealed key (32)      a SealedStream
//   block   = the ciphertext of AES-256 in GCM, and its tag (16)
//
// A block has a number, which is its nonce and never comes twice with one key, and something beside
// it that is not encrypted, and must be the same when it is opened. A value; on one thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "storage/base/status.h"
#include "storage/sealed/recipient.h"

namespace wharf {

class BlockCipher {
 public:
  static constexpr std::size_t kTagBytes = 16;
  static constexpr std::size_t kWrappedBytesMax = 64 << 10;

  // With a key that nobody had before.
  static Result<BlockCipher> Make(const Recipient& recipient);
  // With that which was wrapped for this one. Damage: it is not what was encrypted.
  static Result<BlockCipher> Open(std::string_view wrapped, const RecipientKey& key,
                                  const std::string& where);

  // Of one that was made.
  const std::string& wrapped() const { return wrapped_; }

  Result<std::string> Seal(std::string_view plain, std::uint64_t number,
                           std::string_view beside) const;
  // Damage: as above.
  Result<std::string> OpenBlock(std::string_view sealed, std::uint64_t number,
                                std::string_view beside, const std::string& where) const;

 private:
  static constexpr std::size_t kKeyBytes = 32;

  // Does not stay in memory that others get.
  struct Key {
    Key() = default;
    Key(const Key&) = default;
    Key& operator=(const Key&) = default;
    ~Key();

    std::array<unsigned char, kKeyBytes> bytes{};
  };

  Key key_;
  std::string wrapped_;
};

}  // namespace wharf
