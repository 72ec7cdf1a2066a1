// Sha256: the checksum of a file of a backup, taken piece by piece.
//
// OpenSSL's. Used on one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace wharf {

class Sha256 {
 public:
  Sha256();
  ~Sha256();

  void Add(std::string_view piece);
  // Of all pieces, in 64 hexadecimal digits. Once.
  std::string Take();

 private:
  struct Context;
  const std::unique_ptr<Context> context_;
};

inline std::string Sha256Of(std::string_view bytes) {
  Sha256 sum;
  sum.Add(bytes);
  return sum.Take();
}

}  // namespace wharf
