#!/usr/bin/python3 -B
"""test_mutate: how faults are written into a source, recognised and reported."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/mutate"))

import equivalent  # noqa: E402
import faults  # noqa: E402
import report  # noqa: E402
import rules  # noqa: E402
import source  # noqa: E402
import text  # noqa: E402
import trial  # noqa: E402

QUEUE = """\
void Queue::Expire(Timestamp now, Changes& changes) {
  // Heads first: "a < b" in a remark is no code.
  if (head < now && is_ready) Drop(head, now);
  changes.push_back(Expired{head});
  spdlog::info("expired {} of {}", head, size);
}
"""


def stretch(words):
    begin = QUEUE.index(words)
    return begin, begin + len(words)


class MutateTest(unittest.TestCase):
    def setUp(self):
        self.code = text.masked(QUEUE)
        self.make = faults.Maker("broker/core/queue/queue.cc", QUEUE, self.code)

    def named(self, *made):
        return list(faults.named(made, QUEUE))

    def written(self, **numbered):
        words = source.instrumented("queue.cc", QUEUE, {int(name[1:]): fault for name, fault in numbered.items()})
        return words.replace("::wharf_fault::", "").removeprefix(source.SWITCH)

    def test_remarks_and_texts_are_no_code(self):
        self.assertEqual(len(self.code), len(QUEUE))
        self.assertNotIn("a < b", self.code)
        self.assertNotIn("expired", self.code)
        self.assertEqual(text.masked("16'384 + 'x'"), "16'384 + '_'")

    def test_the_loosest_operator_is_the_last_to_be_evaluated(self):
        self.assertEqual(text.loosest_operator(self.code, *stretch("head < now && is_ready"))[0], "&&")
        self.assertEqual(text.loosest_operator("a - b + c", 0, 9)[0], "+")
        self.assertIsNone(text.loosest_operator("f(a + b)", 0, 8))

    def test_a_fault_stands_beside_what_is_right(self):
        fault = self.make.operator("Queue::Expire", *stretch("head < now"))
        self.assertIn("if ((On(7) ? (head <= now) : (head < now)) && is_ready)", self.written(_7=fault))

    def test_faults_nest(self):
        written = self.written(_1=self.make.operator("Queue::Expire", *stretch("head < now")),
                               _2=self.make.operator("Queue::Expire", *stretch("head < now && is_ready")),
                               _3=self.make.condition("Queue::Expire", *stretch("head < now && is_ready")))
        self.assertIn("if ((On(2) ? ((head < now) || (is_ready)) : ((On(3) != static_cast<bool>("
                      "(On(1) ? (head <= now) : (head < now)) && is_ready)))))", written)

    def test_a_statement_left_out_keeps_the_else_where_it_was(self):
        fault = self.make.left_out("Queue::Expire", faults.CALL, *stretch("Drop(head, now);"), stands_alone=False)
        self.assertIn("is_ready) if (On(4)) {} else Drop(head, now);", self.written(_4=fault))
        self.assertIn("+  if (head < now && is_ready) ;\n", report.diff(QUEUE, fault))

    def test_a_line_goes_with_all_that_stands_in_it(self):
        fault = self.make.left_out("Queue::Expire", faults.CALL, *stretch("changes.push_back(Expired{head});"), True)
        self.assertIn("-  changes.push_back(Expired{head});\n   spdlog", report.diff(QUEUE, fault))

    def test_arguments_change_places(self):
        fault = self.make.exchanged("Queue::Expire", stretch("head, now")[:1] + (stretch("head, now")[0] + 4,),
                                    (stretch("head, now")[1] - 3, stretch("head, now")[1]))
        self.assertIn("Drop((On(5) ? (now) : (head)), (On(5) ? (head) : (now)));", self.written(_5=fault))

    def test_lines_keep_their_numbers(self):
        fault = self.make.one_off("Queue::Expire", *stretch("head, size")[:1], stretch("head, size")[0] + 4)
        self.assertEqual(self.written(_6=fault).count("\n"), QUEUE.count("\n"))

    def test_nobody_is_warned_of_a_fault_in_a_header(self):
        fault = self.make.operator("Queue::Expire", *stretch("head < now"))
        self.assertIn("#pragma GCC system_header\n", source.instrumented("queue.h", QUEUE, {1: fault}))
        self.assertNotIn("#pragma", source.instrumented("queue.cc", QUEUE, {1: fault}))

    def test_the_copy_is_what_was_read_whatever_is_edited_meanwhile(self):
        fault = self.make.operator("Queue::Expire", *stretch("head < now"))
        with tempfile.TemporaryDirectory() as folder:
            root, copy = pathlib.Path(folder, "root"), pathlib.Path(folder, "copy")
            place = root / fault.file
            place.parent.mkdir(parents=True)
            place.write_text(QUEUE, encoding="latin-1")
            subprocess.run(["git", "init", "--quiet", str(root)], check=True)
            found = source.read(str(root))
            known = source.fingerprint(found)
            place.write_text("// It was moved.\n" + QUEUE, encoding="latin-1")

            source.write(found, str(copy), {1: fault})

            self.assertIn("(head <= now)", (copy / fault.file).read_text())
            self.assertNotIn("moved", (copy / fault.file).read_text())
            self.assertNotEqual(source.fingerprint(source.read(str(root))), known)

    def test_calls_have_the_name_of_what_they_do(self):
        fault = self.make.left_out("Queue::Expire", faults.CALL, *stretch("changes.push_back(Expired{head});"), True)
        self.assertEqual(fault.kind, faults.CHANGE)

    def test_what_is_logged_is_left_out(self):
        said = stretch('spdlog::info("expired {} of {}", head, size);')
        logged = self.make.left_out("Queue::Expire", faults.CALL, *said, True)
        compared = self.make.operator("Queue::Expire", *stretch("head < now"))
        kept, left_out = rules.leaving_out(self.named(logged, compared), self.code)
        self.assertEqual([fault.kind for fault in kept], [faults.BOUNDARY])
        self.assertEqual(left_out, {"log text": 1})

    def test_an_equivalent_is_known_by_its_words(self):
        fault, = self.named(self.make.operator("Queue::Expire", *stretch("head < now")))
        entries = equivalent.parse("""\
# A remark.

broker/core/queue/queue.cc Queue::Expire
- if (head < now && is_ready) Drop(head, now);
+ if (head <= now && is_ready) Drop(head, now);
Nothing is at a head
that expires now.

broker/core/queue/queue.cc Queue::Expire
- if (head) return;
+ if (!head) return;
Gone.
""")
        self.assertEqual(equivalent.reason_for(fault, entries), "Nothing is at a head that expires now.")
        self.assertEqual([entry.reason for entry in equivalent.stale(entries, [fault])], ["Gone."])

    def test_the_report_tells_who_saw_what(self):
        fault, other = self.named(self.make.operator("Queue::Expire", *stretch("head < now")),
                                  self.make.condition("Queue::Expire", *stretch("is_ready")))
        rows = [{"key": fault.key, "level": "C++", "verdict": trial.CAUGHT},
                {"key": other.key, "level": "C++", "verdict": trial.SURVIVED},
                {"key": other.key, "level": "wire", "verdict": trial.UNREACHED}]
        told = report.Report({1: fault, 2: other}, rows, {}, [], ["C++", "wire"])
        self.assertEqual(told.of[1][0], "caught")
        self.assertEqual(told.numbers(trial.SURVIVED), [2])
        self.assertIn("    1   50.0 %  caught by C++ tests: 1 caught", told.counts())

    def test_the_first_who_failed_is_named(self):
        self.assertEqual(trial.who_failed("[ RUN      ] A.B\n[  FAILED  ] A.B (3 ms)\n"), "A.B")
        self.assertEqual(trial.who_failed("[ RUN      ] A.B\n[ RUN      ] A.C\nAborted"), "A.C")
        self.assertEqual(trial.who_failed("FAIL: test_x (test_send.SendTest)\n"), "test_x (test_send.SendTest)")


unittest.main()
