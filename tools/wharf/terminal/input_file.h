// InputFile: a file, or the standard input, as blocks of bytes, until it ends, fails, or the user
// wants an end.
//
// Used by `wharf send`, on the main thread.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "storage/base/status.h"
#include "tools/wharf/terminal/interruption.h"

namespace wharf::tool {

class InputFile {
 public:
  // "-" is the standard input. ArgumentError, naming it, if it cannot be read: it is not there, or
  // it is a directory.
  static Result<InputFile> Open(const std::string& name);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) = delete;
  ~InputFile();

  // How many bytes, at least one; 0 at the end, and when `interruption` is raised. ArgumentError if
  // the file cannot be read any further.
  Result<std::size_t> Read(char* bytes, std::size_t size_max, const Interruption& interruption);

  // For people.
  const std::string& name() const { return name_; }

 private:
  InputFile(std::string name, int descriptor, bool is_own)
      : name_(std::move(name)), descriptor_(descriptor), is_own_(is_own) {}

  Status Broken() const;

  std::string name_;
  int descriptor_;
  bool is_own_;
};

}  // namespace wharf::tool
