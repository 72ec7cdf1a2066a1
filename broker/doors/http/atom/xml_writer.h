// XmlWriter: writes XML, one element after another. A plain value of whoever writes a document.
//
// Texts may hold anything: what XML has no place for becomes a question mark in a box (U+FFFD).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wharf::atom {

class XmlWriter {
 public:
  using Attributes = std::vector<std::pair<std::string_view, std::string_view>>;

  // An element with others in it, until Close.
  void Open(std::string_view name, const Attributes& attributes = {});
  void Close();
  // An element with text in it; one without has no end tag of its own.
  void Leaf(std::string_view name, std::string_view text, const Attributes& attributes = {});
  // The same of "true" and "false".
  void Flag(std::string_view name, bool value) { Leaf(name, value ? "true" : "false"); }

  // Text between elements.
  void Text(std::string_view text);
  // Elements that were written before, as they are.
  void Elements(std::string_view xml) { text_ += xml; }

  // Of what is written so far.
  std::size_t bytes() const { return text_.size(); }
  // All of it; nothing is open any more.
  std::string Take() { return std::move(text_); }

 private:
  enum class Place { kText, kAttribute };
  void Begin(std::string_view name, const Attributes& attributes);
  void Escape(std::string_view text, Place place);

  std::string text_;
  std::vector<std::string> open_;
};

}  // namespace wharf::atom
