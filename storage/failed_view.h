// FailedView: a view in which nothing can be read, and why. Of a store that cannot show what it
// must.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "storage/store.h"

namespace wharf {

class FailedView final : public StoreView {
 public:
  explicit FailedView(Status why) : why_(std::move(why)) {}

  Result<std::optional<std::string>> Get(TableId /*table*/,
                                         std::string_view /*key*/) const override {
    return why_;
  }
  std::unique_ptr<StoreCursor> Scan(TableId /*table*/, const KeyRange& /*range*/) const override {
    return std::make_unique<Cursor>(why_);
  }

 private:
  class Cursor final : public StoreCursor {
   public:
    explicit Cursor(Status why) : why_(std::move(why)) {}
    bool valid() const override { return false; }
    void Next() override {}
    void Seek(std::string_view /*key*/) override {}
    std::string_view key() const override { return {}; }
    std::string_view value() const override { return {}; }
    Status status() const override { return why_; }

   private:
    const Status why_;
  };

  const Status why_;
};

}  // namespace wharf
