// DamagedBlock: flips bits in the data blocks of a store's table files, beneath RocksDB.
//
// A test flushes, closes the store, damages a block and opens the folder again. What a table file
// says of itself is found by RocksDB's own names for it, which stand there as they are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace wharf {

class DamagedBlock {
 public:
  // Files of the table that have any rows.
  static std::vector<std::string> FilesOf(const std::string& folder, std::string_view table) {
    std::vector<std::string> files;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().extension() != ".sst") continue;
      if (IsOf(Read(file.path()), table)) files.push_back(file.path());
    }
    return files;
  }

  // Flips a bit of the block that stands at this part, from 0 to 1, of the rows of a file.
  static void FlipAt(const std::string& file, double part) {
    const auto bytes = static_cast<double>(DataBytesOf(Read(file)));
    FlipByte(file, static_cast<std::size_t>(bytes * part));
  }

  // Flips a bit in this text, wherever in the folder it stands first in a table or a blob file.
  static void FlipIn(const std::string& folder, std::string_view text) {
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().extension() != ".sst" && file.path().extension() != ".blob") continue;
      const std::size_t at = Read(file.path()).find(text);
      if (at == std::string::npos) continue;
      return FlipByte(file.path(), at);
    }
    throw std::runtime_error("no file has the text " + std::string(text));
  }

 private:
  static std::string Read(const std::string& file) {
    std::ifstream bytes(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(bytes), {}};
  }

  // RocksDB's properties of a file: names without what they have in common with the one before, and
  // the lengths of name and value before them.
  static bool IsOf(const std::string& bytes, std::string_view table) {
    const std::string text = "name" + std::string(table);
    for (std::size_t at = bytes.find(text); at != std::string::npos;
         at = bytes.find(text, at + 1)) {
      const bool is_property =
          at > 2 && bytes[at - 2] == 4 && static_cast<std::size_t>(bytes[at - 1]) == table.size();
      if (is_property) return true;
    }
    return false;
  }

  static std::uint64_t DataBytesOf(const std::string& bytes) {
    const std::string name = "data.size";
    std::size_t at = bytes.find(name) + name.size();
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(bytes.at(at++));
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if ((byte & 0x80U) == 0) return value;
    }
  }

  static void FlipByte(const std::string& file, std::size_t at) {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(static_cast<std::streamoff>(at));
    const int byte = bytes.get();
    bytes.seekp(static_cast<std::streamoff>(at));
    bytes.put(static_cast<char>(byte ^ 1));
  }
};

}  // namespace wharf
