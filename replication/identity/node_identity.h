// NodeIdentity: which node of which cluster a folder, a process and a stream of a peer are.
//
// Ids are drawn once and never used again; the name is for people, and what a certificate says. No
// address and no host name is an identity. Values, used on every thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/base/ids.h"
#include "storage/base/random.h"
#include "storage/base/status.h"

namespace wharf {

// What the consensus calls a node; 0 is none.
using NodeId = StrongId<struct NodeIdTag, std::uint64_t>;

// 16 random bytes, drawn when a cluster is founded.
class ClusterId {
 public:
  static constexpr std::size_t kSize = 16;

  constexpr ClusterId() = default;

  // Nothing if `bytes` has another length or is that of no cluster.
  static std::optional<ClusterId> FromBytes(std::string_view bytes);
  // 32 digits, as ToText writes them.
  static std::optional<ClusterId> FromText(std::string_view text);

  std::string ToBytes() const { return {bytes_.begin(), bytes_.end()}; }
  std::string ToText() const;
  bool is_zero() const { return *this == ClusterId(); }

  friend bool operator==(const ClusterId&, const ClusterId&) = default;

 private:
  std::array<char, kSize> bytes_{};
};

ClusterId DrawClusterId(Random& random);
NodeId DrawNodeId(Random& random);

struct NodeIdentity {
  ClusterId cluster{};
  NodeId node{};
  std::string name{};

  // For logs and refusals: "node n2 (id 17) of cluster 0123...".
  std::string ToText() const;

  friend bool operator==(const NodeIdentity&, const NodeIdentity&) = default;
};

// 1 to 63 of a-z, 0-9, '-' and '.', the first of which is a letter or a digit: a name must fit into
// a certificate and into the name of a file.
Status CheckNodeName(std::string_view name);

}  // namespace wharf
