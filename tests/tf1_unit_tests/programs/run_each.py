"""run_each.py MODULE TABLE: runs each test of a module by itself; a line for each: verdict, name, what went wrong.

It runs under Python 3.7 and TensorFlow 1.15, too.
"""

import importlib
import os
import signal
import sys
import traceback
import unittest
import warnings

SECONDS_A_TEST = 40


class TooLong(BaseException):
    """A test took longer than it may."""


class Outcome(unittest.TestResult):
    """The verdict of one test."""

    verdict, why = "?", ""

    def addSuccess(self, test):
        self.verdict = "ok"

    def addError(self, test, err):
        self._failed("ERROR", err)

    def addFailure(self, test, err):
        self._failed("FAIL", err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._failed("FAIL", err)

    def addSkip(self, test, reason):
        self.verdict, self.why = "skip", reason

    def _failed(self, verdict, err):
        kind, error, trace = err
        traceback.print_exception(kind, error, trace)
        places = [
            frame
            for frame in traceback.extract_tb(trace)
            if not any(part in frame.filename for part in ("site-packages", "lib/python", "classes_of_tests"))
        ]
        place = "{}:{} ".format(os.path.basename(places[-1].filename), places[-1].lineno) if places else ""
        self.verdict, self.why = verdict, place + kind.__name__ + ": " + one_line(error)


def one_line(error):
    return " ".join(str(error)[:400].split())


def tests_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            for inner in tests_of(test):
                yield inner
        else:
            yield test


def stop(*_):
    raise TooLong("too long")


def main(module, table):
    warnings.simplefilter("ignore")
    # not this file's folder: the classes beside the program may be migrated
    sys.path[0] = os.getcwd()
    from absl import flags

    flags.FLAGS(["program"])
    with open(table, "w") as lines:
        try:
            loaded = importlib.import_module(module)
        except Exception as error:
            traceback.print_exc()
            lines.write("ERROR\timport\t{}\n".format(one_line(error)))
            return
        signal.signal(signal.SIGALRM, stop)
        for test in tests_of(unittest.defaultTestLoader.loadTestsFromModule(loaded)):
            name = test.id().partition(".")[2]
            if name.endswith("test_session"):
                continue
            outcome = Outcome()
            signal.alarm(SECONDS_A_TEST)
            try:
                test.run(outcome)
            except TooLong:
                outcome.verdict, outcome.why = "ERROR", "too long"
            signal.alarm(0)
            print("^^^", name, flush=True)
            lines.write("{}\t{}\t{}\n".format(outcome.verdict, name, outcome.why.replace("\t", " ")))
            lines.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
    os._exit(0)  # threads of tests that were stopped
