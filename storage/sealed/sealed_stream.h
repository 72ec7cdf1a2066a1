// SealedStream: bytes of any length, encrypted to a recipient piece by piece.
//
//   head   = a CMS message (RFC 5652, 5083) in DER, without its content:
//            AuthEnvelopedData, AES-256 in GCM, its key for one recipient
//   sealed = the content of that message: as long as what was encrypted
//
// All of it is OpenSSL's, and is opened by hand with
//   openssl cms -decrypt -binary -inform DER -in HEAD -content SEALED -inkey KEY -out FILE
// A stream has a key of its own. What was changed or cut is found at its end, when the most of it
// has been given already: nobody uses it before. Each on one thread; one piece is in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "storage/base/status.h"
#include "storage/sealed/recipient.h"

namespace wharf {

// What bytes become on their way from one file to another.
class ByteFilter {
 public:
  virtual ~ByteFilter() = default;

  // Appends to `out` what comes of this piece.
  virtual Status Add(std::string_view piece, std::string& out) = 0;
  // The rest. Once.
  virtual Status End(std::string& out) = 0;
};

class SealingStream final : public ByteFilter {
 public:
  static Result<std::unique_ptr<SealingStream>> Begin(const Recipient& recipient);
  ~SealingStream() override;

  Status Add(std::string_view piece, std::string& out) override;
  Status End(std::string& out) override;
  // Behind the end.
  Result<std::string> Head() const;

 private:
  struct Parts;
  explicit SealingStream(std::unique_ptr<Parts> parts);
  const std::unique_ptr<Parts> parts_;
};

class OpeningStream final : public ByteFilter {
 public:
  static constexpr std::size_t kHeadBytesMax = 64 << 10;

  // `where` is what a sentence calls what was encrypted.
  static Result<std::unique_ptr<OpeningStream>> Begin(std::string_view head,
                                                      const RecipientKey& key,
                                                      const std::string& where);
  ~OpeningStream() override;

  Status Add(std::string_view piece, std::string& out) override;
  // Damage: it is not what was encrypted.
  Status End(std::string& out) override;

 private:
  struct Parts;
  explicit OpeningStream(std::unique_ptr<Parts> parts);
  const std::unique_ptr<Parts> parts_;
};

}  // namespace wharf
