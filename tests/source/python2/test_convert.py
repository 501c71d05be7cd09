"""Python 2 becomes Python 3 that means the same: construct by construct, and what stays."""

import re
from pathlib import Path
from textwrap import dedent

import pytest

from tf2towers.source.errors import SourceError
from tf2towers.source.python2.reading import convert_script
from tf2towers.source.script import Script

#: (Python 2, Python 3); every text has a print statement so that it certainly is Python 2
CONVERTED = [
    ("print 'x', y", "print('x', y)"),
    ("print >>f, 'x'", "print('x', file=f)"),
    ("print ('a' % b)\nprint 1", "print ('a' % b)\nprint(1)"),
    ("print (a, b)", "print((a, b))"),
    (dedent(
        """\
        try:
            a
        except E, e:
            b"""
    ), dedent(
        """\
        try:
            a
        except E as e:
            b"""
    )),
    ("raise E, 'x'", "raise E('x')"),
    ("exec code in scope", "exec(code, scope)"),
    ("print `x`", "print(repr(x))"),
    ("if a <> b: print a", "if a != b: print(a)"),
    ("x = 0755, 10L\nprint x", "x = 0o755, 10\nprint(x)"),
    ("print ur'a\\d', u'b'", "print(r'a\\d', u'b')"),
    ("def f(a, (b, c)):\n    print b", "def f(a, xxx_todo_changeme):\n    (b, c) = xxx_todo_changeme\n    print(b)"),
    ("for k, v in d.iteritems(): print k", "for k, v in d.items(): print(k)"),
    ("for k, v in p.values().iteritems(): print k", "for k, v in p.values().items(): print(k)"),
    ("print d.iteritems().next(), d.values().index(2)", "print(next(iter(d.items())), list(d.values()).index(2))"),
    ("print p.items().iterrows()", "print(p.items().iterrows())"),
    ("print p.values().get('a')", "print(p.values().get('a'))"),
    ("print [k for k in d.keys()]", "print([k for k in d.keys()])"),
    ("print d.values() + e.values()", "print(list(d.values()) + list(e.values()))"),
    ("print d.has_key(k)", "print(k in d)"),
    ("x = map(f, y)\nprint x", "x = list(map(f, y))\nprint(x)"),
    ("x = zip(a, b)\nprint x", "x = list(zip(a, b))\nprint(x)"),
    ("x = range(3)\nprint x", "x = list(range(3))\nprint(x)"),
    ("print isinstance(x, (int, long)), unicode(x)", "print(isinstance(x, int), str(x))"),
    ("print raw_input('?')", "print(input('?'))"),
    ("print it.next()", "print(next(it))"),
    ("import sys\nprint sys.maxint", "import sys\nprint(sys.maxsize)"),
    ("import urllib2\nprint urllib2.urlopen(x)", "import urllib.request, urllib.error, urllib.parse\nprint(urllib.request.urlopen(x))"),
    (dedent(
        """\
        import Queue
        def f():
            queue = Queue.Queue()
            print queue"""
    ),  # a name of its own
     dedent(
         """\
         import queue as Queue
         def f():
             queue = Queue.Queue()
             print(queue)"""
     )),
    ("import Queue, ConfigParser\nprint Queue.Queue()", "import queue, configparser\nprint(queue.Queue())"),
    ("print reduce(f, x)", "from functools import reduce\nprint(reduce(f, x))"),
    ("print file(x)", "print(open(x))"),
    (dedent(
        """\
        import math
        def f(x):
            print x
            return(math.ceil(x))"""
    ),
     dedent(
         """\
         import math
         def f(x):
             print(x)
             return(float(math.ceil(x)))"""
     )),
    ("def f(x, y):\n    print x\n    return(x/y)", "def f(x, y):\n    print(x)\n    return(python2_division(x, y))"),
    ("from itertools import imap as map, izip\nprint map(f, x, y)", "\nprint(map(f, x, y))"),
    ("log = open(p, 'w', 0)\nprint log", "log = open(p, 'w', 1)\nprint(log)"),
    ("import os\nprint os.fdopen(1, 'w', 0)", "import os\nprint(os.fdopen(1, 'w', 1))"),
    ("print open(p, 'wb', 0), open(p, 'w', 1)", "print(open(p, 'wb', 0), open(p, 'w', 1))"),
    (dedent(
        """\
        import sys
        reload(sys)
        sys.setdefaultencoding('utf8')
        print 1"""
    ), dedent(
        """\
        import sys
        import importlib
        pass
        pass
        print(1)"""
    )),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), CONVERTED)
def test_a_construct_is_converted(before, after):
    assert without_import(text_of(before)) == without_import(after)
    compile(text_of(before), "after", "exec")


#: files of tables and arrays
FILES = [
    (dedent(
        """\
        with open(p, 'wb') as f:
            csv.writer(f)
        with open(p, 'rb') as f:
            csv.reader(f)"""
    ),
     dedent(
         """\
         with open(p, 'w', newline='') as f:
             csv.writer(f)
         with open(p, 'r', newline='') as f:
             csv.reader(f)"""
     )),
    ("f = open(p, 'ab')\ncsv.DictWriter(f, x)", "f = open(p, 'a', newline='')\ncsv.DictWriter(f, x)"),
    ("csv.reader(open(p))\ncsv.writer(open(p, 'w'))", "csv.reader(open(p))\ncsv.writer(open(p, 'w'))"),
    ("np.save(open(p, 'w'), x)\nnp.load(open(p))", "np.save(open(p, 'wb'), x)\nnp.load(open(p, 'rb'))"),
    ("np.savetxt(open(p, 'w'), x)", "np.savetxt(open(p, 'w'), x)"),
]  # fmt: skip
#: a name that is not Python's own stays
NAMES = [
    dedent(
        """\
        from six.moves import xrange, zip
        x = zip(a)
        for i in xrange(3): print i
        """
    ),
    dedent(
        """\
        def apply(f, x):
            print f
        apply(a, b)
        """
    ),
    dedent(
        """\
        from six.moves import range
        x = range(3)
        print x
        """
    ),
    "def g(filter, map=None):\n    print filter(a), map(b)\n",
]
OF_TABLES = "import csv\nimport numpy as np\n"
WHOLE = [
    ("import cPickle as pickle\nprint pickle.load(f)", "import pickle\nprint(pickle.load(f, encoding='latin1'))"),
    ("import cPickle\nwith open(p, 'r') as f:\n    print cPickle.load(f)",
     "import pickle\nwith open(p, 'rb') as f:\n    print(pickle.load(f, encoding='latin1'))"),
    ("import pickle\nprint pickle.load(open(p))", "import pickle\nprint(pickle.load(open(p, 'rb'), encoding='latin1'))"),
    ("import pickle\nf = open(p, 'w')\nprint pickle.dump(x, f)",
     "import pickle\nf = open(p, 'wb')\nprint(pickle.dump(x, f))"),
    # a range is a list beside the xrange of six
    (dedent(
        """\
        from six.moves import xrange
        x = range(3)
        for i in xrange(3): print i
        """
    ),
     dedent(
         """\
         from six.moves import xrange
         x = list(range(3))
         for i in xrange(3): print(i)
         """
     )),
    ("from __future__ import division\nprint 'x'\ny = a / b", "from __future__ import division\nprint('x')\ny = a / b"),
    *((f"{OF_TABLES}print 1\n{before}\n", f"{OF_TABLES}print(1)\n{after}\n") for before, after in FILES),
    *((text, re.sub(r"print (.*)", r"print(\1)", text)) for text in NAMES),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), WHOLE)
def test_a_text_of_python2_is_converted(before, after):
    assert text_of(before) == after


#: what Python 2 did by another function, which ours stand for, and what is the same today
OURS = [
    ("map(f, a, b)", "python2_map(f, a, b)"),
    ("map(None, a, b)", "python2_map(None, a, b)"),
    ("map(f, *a)", "python2_map(f, *a)"),
    ("map(f, a)", "list(map(f, a))"),
    ("mine(map, f)", "mine(python2_map, f)"),
    ("pool.map(f, a, b)", "pool.map(f, a, b)"),
    ("filter(f, a)", "python2_filter(f, a)"),
    ("filter(None, a)", "python2_filter(None, a)"),
    ("filter(f, a.split(','))", "python2_filter(f, a.split(','))"),
    ("''.join(filter(f, a))", "''.join(python2_filter(f, a))"),
    ("random.seed(3)", "python2_seed(3)"),
    ("random.seed()", "random.seed()"),
    ("np.random.seed(3)", "np.random.seed(3)"),
    ("a.translate(table)", "a.translate(table)"),
    ("hashlib.md5(a.encode('utf8'))", "hashlib.md5(a.encode('utf8'))"),
    ("io.BytesIO()", "io.BytesIO()"),
]  # fmt: skip


DIVISIONS = [
    ("7 / 2", "7 // 2"),
    ("x / 2.0", "x / 2.0"),
    ("x / float(n)", "x / float(n)"),
    ("len(x) / 2", "len(x) // 2"),
    ("x / 2", "python2_division(x, 2)"),
    ("(a+b) / (c+d)", "python2_division(a+b, c+d)"),
    ("a / b / c", "python2_division(python2_division(a, b), c)"),
    ("a / b * 1.0", "python2_division(a, b) * 1.0"),
    ("1.0 * a / b", "1.0 * a / b"),
    ("a / (b / 2)", "python2_division(a, python2_division(b, 2))"),
    ("( a + b )/ (c)", "python2_division(a + b, c)"),
    ("(a / (b + 1)) / (c, 1)", "python2_division(python2_division(a, b + 1), (c, 1))"),
    ("((a)) / (b) * 2", "python2_division(((a)), b) * 2"),
    ("(a\n) / (b / \\\n2)", "python2_division((a\n), python2_division(b, \\\n2))"),
    ("f(a / b, c / d)", "f(python2_division(a, b), python2_division(c, d))"),
    ("[i / 2 for i in range(4)]", "[i // 2 for i in range(4)]"),
    ("np.mean(x) / n", "np.mean(x) / n"),
    ("np.mean(x, 0, int) / n", "python2_division(np.mean(x, 0, int), n)"),
    ("np.linspace(0, 9, 4, dtype=int) / n", "python2_division(np.linspace(0, 9, 4, dtype=int), n)"),
    ("np.std(*x) / n", "python2_division(np.std(*x), n)"),
    ("np.var(x, **y) / n", "python2_division(np.var(x, **y), n)"),
    ("(time.time() - start) / n", "(time.time() - start) / n"),
    ("math.ceil(n) / 2", "float(math.ceil(n)) / 2"),
    ("int(math.ceil(n / 2.0))", "int(math.ceil(n / 2.0))"),
    ("round(x)", "python2_round(x)"),
    ("a // b", "a // b"),
    ("a \\\n / b", "python2_division(a \\\n , b)"),
    ("(a # / no\n / b)", "(python2_division(a # / no\n , b))"),
]
DECODED = [
    ("line.decode('utf8')", "python2_decode(line, 'utf8')"),
    ("(a + b).decode('utf-8', 'ignore')", "python2_decode((a + b), 'utf-8', 'ignore')"),
    ("f(line.strip().decode( 'utf8').split(), n)", "f(python2_decode(line.strip(), 'utf8').split(), n)"),
    ("a.decode('utf8').decode('gbk')", "python2_decode(python2_decode(a, 'utf8'), 'gbk')"),
    ("unicode(line, 'utf8')", "python2_decode(line, 'utf8')"),
    ("unicode(line, 'utf8', 'ignore')", "python2_decode(line, 'utf8', 'ignore')"),
    ("line.decode('hex')", "line.decode('hex')"),  # bytes to bytes: nothing is certain
    ("tokenizer.decode(ids)", "tokenizer.decode(ids)"),
    ("line.decode()", "line.decode()"),
    ("unicode(line)", "str(line)"),
]


@pytest.mark.parametrize(("before", "after"), OURS + DIVISIONS + DECODED)
def test_an_expression_is_converted(before, after):
    head = "import hashlib, io, math, random, time\nimport numpy as np\n"
    text = text_of(f"{head}y = {before}\nprint y")
    assert without_import(text) == f"{head}y = {after}\nprint(y)"
    needed = sorted(set(re.findall(r"python2_\w+", after)))
    assert re.findall(r"runtime import (.+)", text) == ([", ".join(needed)] if needed else [])


#: literals of bytes above ASCII in Python 2, and whether one is left
BYTES = [
    (r"u'\xe9'", False),
    (r"ord('\xe9')", False),
    (r"line.strip(b'\xef\xbb\xbf')", False),
    (r"'caf\x65'", False),
    (r"re.sub('[\x01-\x7f]', '', line)", False),
    (r"line.strip('\xef\xbb\xbf')", True),
    (r"line.split('\342\200\203')", False),
    (r"line.replace('\xef\xbb\bf', '')", False),
    (r"open(line, 'rb').read().split('\342\200\203')", True),
    (r"float(line.strip('\xef\xbb\xbf'))", False),
    (r"line.replace('\u1234\xff', '')", True),
    # parts of characters, which a search of bytes finds in them
    (r"line.replace('\xc2', '')", True),
    (r"line.replace('\xa0', ' ')", True),
    (r"line.split('\xc3\xa9\xe2\x80')", True),
    (r"line.replace('a', '\xff')", True),
    (r"line.replace('a', '\xc3\xa9')", False),
    (r"line.replace('\xff', '')", False),
    (r"line.startswith('\x80\xc0')", False),
    # regular expressions
    (r"re.split('[\xc2\xa0]', line)", True),
    (r"column.str.replace('\xc2\xa0+', '')", True),
    (r"f.write('\xef\xbb\xbf')", True),
    (r"'caf\xc3\xa9 %d' % n", True),
    (r"unicode('\xe4\xbd\xa0', 'utf8')", True),
    (r"line[:3] == '\xef\xbb\xbf'", True),
    (r"re.sub(r'[\x80-\xff]', '', line)", True),
    (r"struct.unpack('<I', '\xff\xff\xff\xff')", True),
]


@pytest.mark.parametrize(("value", "is_left"), BYTES)
def test_bytes_where_there_is_text_now(value, is_left):
    text = dedent(
        """\
        import re, struct
        print 1
        y = {value}
        """
    ).format(value=value)
    left = [(step.name, step.line) for step in script_of(text).conversion.left]
    assert left == ([("bytes in what is a string now", 3)] if is_left else [])
    assert script_of(f"from __future__ import unicode_literals\n{text}").conversion.left == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"line.split('\342\200\203')", r"line.split('\u2003')"),
        (r"line.replace('\xef\xbb\bf', '')", r"line.replace('\udcef\udcbb\x08f', '')"),
        (r"float(line.strip('\xef\xbb\xbf'))", r"float(line.strip('\ufeff'))"),
    ],
)
def test_bytes_of_text(before, after):
    assert text_of(f"print 1\ny = {before}\n") == f"print(1)\ny = {after}\n"


MARKED = """\
for line in open(path):
    line = line.split(',')
    line = [i.strip('\\xef\\xbb\\xbf') for i in line]
    {}
    print x, y
"""


@pytest.mark.parametrize(
    ("use", "is_certain"),
    [
        ("x, y = map(float, line[:2])", True),
        ("x, y = float(line[0]), int(line[1])", True),
        ("x, y = float(line[0]), line[1]", False),
        ("x, y = map(str, line)", False),
    ],
)
def test_bytes_around_what_becomes_a_number(use, is_certain):
    conversion = script_of(MARKED.format(use)).conversion
    assert [step.name for step in conversion.left] == ["bytes in what is a string now"] * (not is_certain)


def test_a_list_that_is_read_before_it_is_made_anew_is_not_certain():
    text = MARKED.replace(
        "for line in open(path):\n    line = line", "line = ['1,2']\nwhile True:\n    line = line[0]"
    )
    assert script_of(text.format("x, y = map(float, line[:2])")).conversion.left


ERRORS = """\
try:
    f()
except {} as e:
    print {}
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("e.message", "python2_message(e)"),
        ("e[0]", "python2_arguments(e)[0]"),
        ("e.message + 'x', o.message", "python2_message(e) + 'x', o.message"),
    ],
)
def test_what_python2_read_of_an_error_is_converted(before, after):
    assert f"print({after})" in text_of(ERRORS.format("E", before))


@pytest.mark.parametrize("change", ["e.message += 'x'", "del e.message", "e.message, y = 1, 2"])
def test_a_message_that_is_changed_is_left(change):
    text = ERRORS.format("E", "1") + f"    {change}\n"
    assert [step.name for step in script_of(text).conversion.left] == ["the message of an error"]


#: what is certain of x
CERTAIN = [
    ("x = 8", "int"),
    ("x = 0\nfor i in y: x += 1", "int"),
    ("x = 0\nfor i in y: x += i", "?"),
    ("x = 0.0\nfor i in y: x += i", "float"),
    ("x = 0\nif y: x = 1.5", "?"),
    ("x = f()", "?"),
    (
        dedent(
            """\
            x = 8
            def f():
                global x
                x = g()"""
        ),
        "?",
    ),
    ("from m import *\nx = 8", "?"),
    ("for x in range(3): pass", "int"),
    ("for x, z in enumerate(y): pass", "int"),
    ("x = 4\nx = x / 2", "int"),
    ("x = 'a%d' % 3", "?"),
]
SHOWN = {"int": "print(x // 3)", "float": "print(x / 3)", "?": "print(python2_division(x, 3))"}
ENDS = [
    *((f"{statements}\nprint x / 3", SHOWN[kind]) for statements, kind in CERTAIN),
    (dedent(
        """\
        import tensorflow as tf
        flags = tf.app.flags
        FLAGS = flags.FLAGS
        flags.DEFINE_integer('n', 4, '')
        flags.DEFINE_float('r', 0.1, '')
        flags.DEFINE_string('s', '', '')
        print FLAGS.n / 2, FLAGS.r / 2, FLAGS.other / 2"""
    ),
     "print(FLAGS.n // 2, FLAGS.r / 2, python2_division(FLAGS.other, 2))"),
    ("def f(x, n):\n    x /= n\n    print x", "    x = python2_division_in_place(x, n)\n    print(x)"),
    ("def f(x):\n    x /= 2.0\n    print x", "    x /= 2.0\n    print(x)"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "end"), ENDS)
def test_the_end_of_a_converted_text(before, end):
    assert text_of(before).endswith(end)


def test_the_import_stands_after_the_imports():
    text = text_of('"""Doc."""\nfrom __future__ import print_function\nimport os\n\nx = a / b\ny = 0777')
    assert text.startswith(
        '"""Doc."""\nfrom __future__ import print_function\nimport os\nfrom tf2towers.runtime import python2_division\n'
    )
    assert text_of("x = a / b\nprint x").startswith("from tf2towers.runtime import python2_division\nx = ")


def test_tabs_are_spaces_as_python2_counted_them():
    text = 'if a:\n        x = """\n\tkept"""\n\tprint x\n'
    assert text_of(text) == 'if a:\n        x = """\n\tkept"""\n        print(x)\n'
    assert script_of(text).conversion.steps[0].name == "tabs in the indentation"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("class A:\n    def __cmp__(self, o): print o\n", "the method __cmp__, which Python 3 never calls"),
        ("from string import join\nprint join(x)\n", "string.join, which is not in Python 3"),
        ("import string\nprint string.join(x, '')\n", "string.join, which is not in Python 3"),
        ("import string\nprint map(string.zfill, x)\n", "string.zfill, which is not in Python 3"),
        ("print x.translate(None, '.')\n", "translate() with two arguments"),
        ("import hashlib\nprint hashlib.md5(x)\n", "hashlib.md5() of a possible string: encode it"),
        ("import hashlib\nprint hashlib.md5()\n", "hashlib.md5() of a possible string: encode it"),
        ("print isinstance(x, file)\n", "file, which is not in Python 3"),
        ("x = [i for i in y]\nprint i\n", "i of a list comprehension, read after it"),
        ("for x in [i for i in y]:\n    print i\n", "i of a list comprehension, read after it"),
        (
            dedent(
                """\
                i = 0
                x = [i for i in y]
                for i in z: print i
                """
            ),
            None,
        ),
        (
            dedent(
                """\
                x = [i for i in y]
                z = [i for i in y]
                print x
                """
            ),
            None,
        ),
        ("g, x[i] = mean([g for g in y]), 0\nprint g\n", None),
        ("x[i] = [i for i in y]\nprint i\n", "i of a list comprehension, read after it"),
        ("print sorted(x, cmp=f)\n", "sorting by cmp"),
        ("print sorted(x, f)\n", "sorting by cmp"),
        (
            dedent(
                """\
                def f(a, b):
                    print a
                x.sort(f)
                """
            ),
            "sorting by cmp",
        ),
        ("x.sort(lambda a, b: 1)\nprint x\n", "sorting by cmp"),
        (
            dedent(
                """\
                x.sort(0)
                x.sort(axis)
                print x
                """
            ),
            None,
        ),
        ("print buffer(x)\n", "buffer, which is not in Python 3"),
        ("def f(p, opener=file):\n    print opener(p)\n", "file, which is not in Python 3"),
        ("print type(x) == file\n", "file, which is not in Python 3"),
        (
            dedent(
                """\
                class Log(file):
                    pass
                print 1
                """
            ),
            "file, which is not in Python 3",
        ),
        ("file = 1\nprint file\n", None),
        ("print x.encode('hex')\n", "the encoding 'hex', which is not for strings in Python 3"),
        ("print x.decode('base64')\n", "the encoding 'base64', which is not for strings in Python 3"),
        ("print tokens.encode('hello')\n", None),
        (
            dedent(
                """\
                try:
                    f()
                except E as e:
                    e = f(e)
                    print e.message, e[0], o.message
                """
            ),
            None,
        ),
        ("import StringIO\nprint StringIO.StringIO()\n", "io.StringIO that may hold bytes"),
        ("from cStringIO import StringIO\nprint g(StringIO=1)\n", "io.StringIO that may hold bytes"),
        ("import ConfigParser\nprint ConfigParser.ConfigParser()\n", "comments in configuration files"),
        ("import random\nprint random.Random(3)\n", "random.Random, which draws other numbers"),
        ("from operator import div as half\nprint half\n", "operator.div, which is not in Python 3"),
        ("import string\nprint string.letters\n", "string.letters, which is not in Python 3"),
        ("print cmp(a, b)\n", "cmp, which is not in Python 3"),
        ("class A:\n    def __div__(self, o): print o\n", "the method __div__, which Python 3 never calls"),
        ("f().x /= n\nprint 1\n", "division in place of possible integers"),
        (
            dedent(
                """\
                __metaclass__ = Kind
                class A: pass
                print 1
                """
            ),
            "a __metaclass__ of the module",
        ),
        (
            dedent(
                """\
                __metaclass__ = type
                class A: pass
                print 1
                """
            ),
            None,
        ),
    ],
)
def test_what_cannot_be_converted_is_left(text, left):
    assert [step.name for step in script_of(text).conversion.left] == ([left] if left else [])


def test_line_ends_and_the_lines_of_the_steps():
    script = script_of("import os\r\nx = reduce(f, a)\r\nprint x\r\ny = x / 2\r\n")
    assert script.text.count("\r\n") == script.text.count("\n")
    assert [(step.name, step.line) for step in script.conversion.steps] == [
        ("reduce()", 2), ("print statement", 3), ("division of possible integers", 4),
    ]  # fmt: skip


def test_what_is_no_python_at_all():
    assert convert_script(Script.from_text("print 'x\n", checked=False)) is None
    assert convert_script(Script.from_text("def f(:\n", checked=False)) is None
    assert convert_script(Script.from_text('"""never ends\nprint 1\n', checked=False)) is None


def script_of(text: str) -> Script:
    found = convert_script(Script.from_text(text, Path("old.py"), checked=False))
    assert found is not None
    return found


def without_import(text: str) -> str:
    """The text without the import that was added, and the empty line after it."""
    return re.sub(r"from tf2towers\.runtime import \w+\n\n?", "", text)


def text_of(text: str) -> str:
    return script_of(text).text


def test_a_global_after_the_first_use_is_reported_in_a_script_of_python2() -> None:
    with pytest.raises(SourceError, match="move the `global`"):
        convert_script(
            Script.from_text(
                dedent(
                    """\
                    def f():
                        print a
                        global a
                    """
                ),
                checked=False,
            )
        )
