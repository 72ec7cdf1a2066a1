#!/usr/bin/python3 -B
"""test_shape: how classes and functions are found in a source, and what is told of them."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/shape"))

import outline  # noqa: E402
import report  # noqa: E402
import shape  # noqa: E402
import tree  # noqa: E402


def classes(source):
    return {made.name: made.public for made in outline.Outline(source).classes}


def functions(source):
    return {made.name: (made.line, made.lines) for made in outline.Outline(source).functions}


class ClassTest(unittest.TestCase):
    def test_public_functions_are_counted_and_nothing_else_is(self):
        source = """\
            class Lane final : public Base<int(int)>, Other {
              void before();
             public:
              using Take = std::function<void(int)>;
              Lane() = default;
              explicit Lane(int size) : size_{size}, end_(Last()) {}
              ~Lane() override;
              Lane& operator=(const Lane&) = delete;
              bool operator<(const Lane& other) const { return size_ < other.size_; }
              int operator()(int) const;
              explicit operator bool() const;
              void Drop(int) = delete;
              friend void Print(const Lane&);
              friend class Queue;
              using Base::operator=;
              [[nodiscard]] static Result<int> Make(int size = Default({1, 2}));
              template <typename T, int kSize = (2 > 1)>
              void Each(T take) const { take(1); }
              virtual void End() = 0;
              void End(int) noexcept(true);
              const std::map<int, std::function<void(int)>>& all() const;
              auto last() const -> std::optional<int>;
              std::function<void(int)> on_end;
              void (*pointer)(int);
              int counted WHARF_GUARDED_BY(mutex) = Count();
              std::array<int, 3> three{1, 2, 3};
              enum class Kind : std::uint8_t { kOne = Value(), kTwo };
              static_assert(sizeof(int) == 4);
             protected:
              void Inner();
             private:
              void Own() {}
             public:
              void After();
            };"""
        self.assertEqual(classes(source)["Lane"], ["Make", "Each", "End", "End", "all", "last", "After"])

    def test_a_class_is_private_and_a_struct_public_at_first(self):
        source = "class A { void f(); }; struct B { void f(); private: void g(); }; union C { int f(); };"
        self.assertEqual(classes(source), {"A": [], "B": ["f"], "C": ["f"]})

    def test_what_is_nested_counts_by_itself(self):
        source = """\
            namespace wharf::inner { namespace {
            class Queue {
             public:
              struct Image { void Load(); struct Deep { int size() const; }; };
              Image image() const;
             private:
              struct Hidden { void Seen() {} } hidden_;
            };
            }  }
            struct wharf::Queue::Impl { void Run(); };
            template <> struct std::hash<Queue> { std::size_t size(int); };
            class [[nodiscard]] WHARF_CAPABILITY("mutex") Mutex { public: void Lock(); };
            class Declared;
            enum class Color { kRed };"""
        self.assertEqual(classes(source), {
            "Queue": ["image"], "Queue::Image": ["Load"], "Queue::Image::Deep": ["size"], "Queue::Hidden": ["Seen"],
            "wharf::Queue::Impl": ["Run"], "std::hash": ["size"], "Mutex": ["Lock"]})

    def test_access_ends_with_its_class(self):
        source = "class A { public: class B { void f(); }; void g(); private: struct C { void h(); }; void i(); };"
        self.assertEqual(classes(source), {"A": ["g"], "A::B": [], "A::C": ["h"]})


class FunctionTest(unittest.TestCase):
    def test_a_function_reaches_from_its_declaration_to_its_last_brace(self):
        source = """\
// Remarks before it do not count.
template <typename T>
[[nodiscard]] Result<T> wharf::Queue<T>::Find(
    const std::string& name,
    Options options = {.size = 1}) const {
  // Those inside do.

  return Try([&] {
    return 1;
  });
}
"""
        self.assertEqual(functions(source), {"wharf::Queue::Find": (2, 10)})

    def test_every_kind_of_name(self):
        source = """\
            Queue::Queue(Image image) try : Base<int>{image}, lanes_{1, {2}}, end_([] { return 1; }) { Load(); }
            Queue::~Queue() = default;
            Lane::~Lane() {}
            Lane& Lane::operator=(Lane&&) noexcept { return *this; }
            bool operator<=>(const Lane&, const Lane&) { return true; }
            int Call::operator()(int x) const { return x; }
            Made::operator bool() const { return true; }
            ::wharf::Status Call::Run() && { return {}; }
            template <> void Apply<int>(int) {}
            extern "C" int main() { return 0; }
            extern "C" { void handler(int) {} }
            struct stat facts_of(int) { return {}; }
            struct Maker { static auto Make() -> Maker { return {}; } };
            TEST(LaneTest, IsEmpty) { EXPECT_TRUE(true); }"""
        self.assertEqual(list(functions(source)), [
            "Queue::Queue", "Lane::~Lane", "Lane::operator =", "operator <=>", "Call::operator ()",
            "Made::operator bool", "Call::Run", "Apply", "main", "handler", "facts_of", "Maker::Make",
            "TEST(LaneTest, IsEmpty)"])

    def test_what_is_none(self):
        source = """\
            using namespace std;
            void Declared(int);
            const auto kTwice = [](int x) { return 2 * x; };
            const Point kOrigin{0, 0};
            constexpr bool kSmall = sizeof(int) < 8 && Bits() > 3;
            std::function<void(int)> made = Make<int>({1});
            template <typename T> concept Sized = requires(T t) { t.size(); };
            enum Color { kRed = Value() };
            static_assert(Holds({1}));"""
        self.assertEqual(functions(source), {})

    def test_a_requirement_is_no_body(self):
        source = "template <typename T> requires Sized<T>\nvoid Each(T t) requires requires { t.f(); } {\n}\n"
        self.assertEqual(functions(source), {"Each": (1, 3)})
        self.assertEqual(functions(source.replace("requires {", "requires(T s) {")), {"Each": (1, 3)})

    def test_remarks_texts_and_directives_are_no_code(self):
        source = """\
#include "a.h"
#define OPEN(x) \\
  void x() {
/* void A() { */  // void B() {
const char* kText = "} void C() { \\" {";
const char* kRaw = R"x(
#if 0
} )" {
)x";
const int kMany = 1'000'000; const char kBrace = '{';
#ifdef WHARF_ONE
void D() {
#else
#if 1
void E() {
#endif
#endif
}
void F() {}
"""
        self.assertEqual(functions(source), {"D": (12, 7), "F": (19, 1)})

    def test_brackets_that_do_not_match_are_told(self):
        for source, words in (("void f() {\n(}\n", "line 2: } closes nothing"), ("}", "line 1: } closes nothing"),
                              ("\nnamespace a {", "line 2: { is never closed")):
            with self.assertRaisesRegex(outline.Unreadable, words):
                outline.Outline(source)


class ShapeTest(unittest.TestCase):
    def test_everything_is_counted_where_it_stands(self):
        counted = shape.of({
            "README.md": b"",
            "broker/a.h": b"#pragma once\nstruct A {\n  void f();\n  void g() {}\n};\n",
            "broker/b.cc": b"void Same() {}\nvoid Same(int) {\n}\n",
            "broker/lexer.re": b"{{{",
            "brokers/c.cc": b"void Elsewhere() {}\n",
        }, ["broker/"])
        self.assertEqual(counted.classes, {"A": shape.Measure(2, "broker/a.h")})
        self.assertEqual(counted.headers, {"broker/a.h": shape.Measure(5)})
        self.assertEqual({folder: measure.size for folder, measure in counted.folders.items()},
                         {".": 1, "broker": 3, "brokers": 1})
        self.assertEqual(counted.functions, {
            "A::g": shape.Measure(1, "broker/a.h:4"), "Same": shape.Measure(2, "broker/b.cc:2"),
            "Same #2": shape.Measure(1, "broker/b.cc:1")})

    def test_a_file_that_cannot_be_read_is_named_and_the_others_count(self):
        counted = shape.of({"a/a.cc": b"}", "a/b.cc": b"void f() {}"}, ["a"])
        self.assertEqual((counted.unreadable, list(counted.functions)), (["a/a.cc: line 1: } closes nothing"], ["f"]))
        self.assertIn("NOT COUNTED, now: a/a.cc", report.text(["now"], [counted]))

    def test_percentiles_are_sizes_that_there_are(self):
        self.assertEqual([shape.percentile(range(1, 11), percent) for percent in (0, 50, 90, 91, 100)],
                         [1, 5, 9, 10, 10])
        self.assertEqual(shape.percentile([7], 99), 7)
        self.assertEqual(shape.percentile([], 50), 0)

    def test_a_tree_is_what_a_commit_had_or_what_lies_there(self):
        with tempfile.TemporaryDirectory() as root:
            def git(*arguments):
                subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *arguments], cwd=root, check=True,
                               stdout=subprocess.DEVNULL)
            folder = pathlib.Path(root)
            (folder / "a").mkdir()
            (folder / "a/kept.h").write_text("then")
            (folder / "gone.h").write_text("then")
            (folder / ".gitignore").write_text("*.o\n")
            git("init", "--quiet")
            git("add", ".")
            git("commit", "--quiet", "-m", "first")
            (folder / "gone.h").unlink()
            (folder / "a/kept.h").write_text("now")
            (folder / "a/new.h").write_text("now")
            (folder / "a/built.o").write_text("now")

            self.assertEqual(tree.at(root, "HEAD"), {".gitignore": b"*.o\n", "a/kept.h": b"then", "gone.h": b"then"})
            self.assertEqual(tree.now(root), {".gitignore": b"*.o\n", "a/kept.h": b"now", "a/new.h": b"now"})


class ReportTest(unittest.TestCase):
    def lines(self, trees, **options):
        shapes = [shape.of(files, ["a"]) for files in trees]
        return report.text(["then", "now"][-len(trees):], shapes, **options).split("\n")

    def table(self, title, lines):
        """The rows, in words, of the table that begins so."""
        begin = next(at for at, line in enumerate(lines) if line.startswith(title))
        return [line.split() for line in lines[begin + 1:lines.index("", begin)]]

    @staticmethod
    def a_class(count):
        return b"struct A {" + b"void f();" * count + b"};\n"

    def test_what_is_over_the_guide_is_listed_and_what_is_at_it_is_not(self):
        files = {f"a/{i}.h": b"" for i in range(28)}
        at, over = ({**files, "a/a.h": self.a_class(25 + more) + b"\n" * (249 + more), "a/b.h": b"",
                     **{f"a/{i}.md": b"" for i in range(more)}} for more in (0, 1))
        for title, row in (("Public functions", ["A", "26", "a/a.h"]), ("Lines of a header", ["a/a.h", "251"]),
                           ("Files in a folder", ["a", "31"])):
            self.assertEqual(self.table(title, self.lines([at])), [])
            self.assertEqual(self.table(title, self.lines([over])), [row])
        lines = self.lines([at, over])
        self.assertEqual(self.table("Public functions", lines), [["A", "25", "26", "a/a.h"]])

    def test_what_is_gone_is_listed_where_it_was(self):
        lines = self.lines([{"a/a.h": self.a_class(30)}, {"a/b.h": b""}])
        self.assertEqual(self.table("Public functions", lines), [["A", "30", "-", "a/a.h"]])

    def test_functions_are_compared_by_their_names(self):
        then = b"void Grew() {\n}\nvoid Same() {\n}\nvoid Shrank() {\n\n}\nvoid Gone() {}\n"
        now = b"void Grew() {\n\n\n}\nvoid Same() {\n}\nvoid Shrank() {}\nvoid New() {\n}\n"
        lines = self.lines([{"a/a.cc": then}, {"a/b.cc": now}])
        self.assertIn("3 functions have kept their names: 1 are longer now, 1 shorter.", lines)
        self.assertEqual(self.table("Those that grew", lines), [["Grew", "2", "4", "a/b.cc:1"]])
        self.assertEqual(self.table("The 10 longest", lines), [
            ["Grew", "2", "4", "a/b.cc:1"], ["Same", "2", "2", "a/b.cc:5"], ["New", "-", "2", "a/b.cc:8"],
            ["Shrank", "3", "1", "a/b.cc:7"], ["Gone", "1", "-", "a/a.cc:8"]])
        self.assertEqual(lines[1].split(), ["functions,", "and", "their", "lines", "4", "4"])

    def test_all_of_it_is_told_when_asked(self):
        lines = self.lines([{"a/a.h": self.a_class(2)}], all_of_it=True)
        self.assertEqual(self.table("Public functions", lines), [["A", "2", "a/a.h"]])
        self.assertEqual(self.table("Files in a folder", lines), [["a", "1"]])


unittest.main()
