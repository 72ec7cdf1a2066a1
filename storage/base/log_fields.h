// LogFields: what a line of the log is about, beside its sentence.
//
//   const LogFields about({{"entity", path}, {"client", peer}});
//   spdlog::warn("...");
//
// Of each line that this thread writes while it exists; in JSON they are fields of their own, for
// who searches by them, and a sentence that is read as text says them itself. One at a time on a
// thread. A field without a value is left out.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace wharf {

class LogFields {
 public:
  using Field = std::pair<std::string_view, std::string_view>;

  // What they are made of outlives it.
  explicit LogFields(std::vector<Field> fields) : fields_(std::move(fields)) { current() = this; }
  ~LogFields() { current() = nullptr; }
  LogFields(const LogFields&) = delete;
  LogFields& operator=(const LogFields&) = delete;

  // Calls `visit` with the name and the value of each that this thread has.
  template <typename Visit>
  static void ForEach(Visit visit) {
    const LogFields* const fields = current();
    if (fields == nullptr) return;
    for (const auto& [name, value] : fields->fields_) {
      if (!value.empty()) visit(name, value);
    }
  }

 private:
  static const LogFields*& current() {
    thread_local const LogFields* fields = nullptr;
    return fields;
  }

  const std::vector<Field> fields_;
};

}  // namespace wharf
