#include "replication/snapshots/snapshot_manifest.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace wharf {
namespace {

SnapshotManifest Example() {
  return {.id = 7,
          .position = {.index = 12, .term = 3, .members = std::string("b\0ok", 4)},
          .files = {{.name = "000012.sst", .bytes = 100, .crc32c = 5},
                    {.name = "CURRENT", .bytes = 0, .crc32c = 0},
                    {.name = "MANIFEST-000004", .bytes = 17, .crc32c = 0xFFFFFFFF}}};
}

SnapshotManifest With(std::vector<StateFile> files) {
  SnapshotManifest manifest = Example();
  manifest.files = std::move(files);
  return manifest;
}

bool IsTaken(const SnapshotManifest& manifest) {
  return SnapshotManifest::Decode(manifest.Encode()).ok();
}

TEST(SnapshotManifestTest, IsReadAsItWasWritten) {
  EXPECT_EQ(SnapshotManifest::Decode(Example().Encode()).value(), Example());
  EXPECT_EQ(Example().bytes(), 117);
}

TEST(SnapshotManifestTest, NoNameLeadsOutOfTheFolder) {
  for (const char* const name :
       {"", ".", "..", "../CURRENT", "a/b", "/etc/passwd", ".hidden", "new\nline", "\xC3\xA4"}) {
    EXPECT_FALSE(IsTaken(With({{.name = name, .bytes = 1}}))) << name;
  }
  EXPECT_FALSE(IsTaken(With({{.name = std::string("a\0b", 3), .bytes = 1}})));
  EXPECT_FALSE(IsTaken(With({{.name = std::string(256, 'a'), .bytes = 1}})));
  EXPECT_TRUE(IsTaken(With({{.name = std::string(255, 'a'), .bytes = 1}})));
}

TEST(SnapshotManifestTest, NoFileComesTwiceAndThereIsOne) {
  EXPECT_FALSE(IsTaken(With({})));
  EXPECT_FALSE(IsTaken(With({{.name = "a"}, {.name = "a"}})));
  EXPECT_FALSE(IsTaken(With({{.name = "b"}, {.name = "a"}})));
}

TEST(SnapshotManifestTest, SizesCanBeCountedTogether) {
  const std::uint64_t half = std::uint64_t{1} << 62;
  EXPECT_TRUE(IsTaken(With({{.name = "a", .bytes = half}})));
  EXPECT_FALSE(IsTaken(With({{.name = "a", .bytes = half}, {.name = "b", .bytes = half}})));
  EXPECT_FALSE(IsTaken(With({{.name = "a", .bytes = ~std::uint64_t{0}}})));
}

TEST(SnapshotManifestTest, ItIsOfAPlaceBehindTheBeginning) {
  SnapshotManifest manifest = Example();
  manifest.position.index = 0;
  EXPECT_FALSE(IsTaken(manifest));
}

TEST(SnapshotManifestTest, WhatIsCutOffIsNone) {
  const std::string whole = Example().Encode();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Result<SnapshotManifest> read = SnapshotManifest::Decode(whole.substr(0, size));
    // A cut between two files leaves fewer of them, which its checksums would show.
    if (!read.ok()) continue;
    EXPECT_LT(read->files.size(), Example().files.size());
  }
}

}  // namespace
}  // namespace wharf
