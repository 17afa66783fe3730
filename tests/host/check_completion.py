#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Completion in a plain interactive bash, without the package bash-completion.     check_completion.py DIVAN DIVAN.BASH-COMPLETION

A line is typed with a tab at its end, and what the shell has made of it is read back from a command that prints its words.
"""
import os
import pty
import re
import select
import shutil
import sys
import tempfile

FAILED = []


class Shell:
    def __init__(self, folder, program, completion):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(PS1="", PATH=os.path.dirname(program) + ":" + os.environ["PATH"], LC_ALL="C", TERM="dumb", INPUTRC="/dev/null",
                              HISTFILE="/dev/null")
            os.environ.pop("BASH_ENV", None)
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        self.type("bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; source '%s'; words() { printf '<%%s>' \"$@\"; echo \" ready\"; }\n" % completion)
        self.type("words\n")
        self.wait_for(r"<> ready")

    def type(self, text):
        os.write(self.terminal, text.encode())

    def wait_for(self, pattern):
        """What is printed until a line matches; at most a minute."""
        got = ""
        while not re.search(pattern, got):
            if not select.select([self.terminal], [], [], 60)[0]:
                raise RuntimeError("nothing like %s in: %s" % (pattern, got))
            got += os.read(self.terminal, 65536).decode(errors="replace")
        return re.search(pattern, got)

    def complete(self, line):
        """The words of a line after tab: Ctrl-A goes to its start, where `words` is put before it."""
        self.type(line + "\t\x01words \n")
        return self.wait_for(r"((?:<[^<>\n]*>)+) ready").group(1)[1:-1].split("><")

    def alternatives(self, line):
        """What two tabs list, on lines of their own. The line becomes a comment then: Ctrl-U, which drops it, would be the terminal's
        own where the shell has not taken the terminal yet, and drop the tabs with it."""
        self.type(line + "\t\t\x01words done #\n")
        got = ""
        while "<done> ready" not in got:
            if not select.select([self.terminal], [], [], 60)[0]:
                raise RuntimeError("no end of: %s" % got)
            got += os.read(self.terminal, 65536).decode(errors="replace")
        return got.replace(line, " ").split()

    def end(self):
        self.type("exit\n")
        os.waitpid(self.pid, 0)


def check(shell, line, *expected):
    got = shell.complete(line)
    if tuple(got) != expected:
        FAILED.append(line)
        print("'%s' becomes %s instead of %s" % (line, got, list(expected)))


def main():
    program, completion = (os.path.realpath(name) for name in sys.argv[1:3])
    if not shutil.which("bash"):
        print("skipped: there is no bash")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for name in ("liver.scn", "other.xml", "notes.txt", "my_fall.problem", "my scene.scn", "states.dump"):
            open(os.path.join(folder, name), "w", encoding="ascii").close()
        os.mkdir(os.path.join(folder, "meshes"))
        open(os.path.join(folder, "meshes", "cube.scn"), "w", encoding="ascii").close()
        shell = Shell(folder, program, completion)
        check(shell, "divan ru", "divan", "run")
        check(shell, "divan run li", "divan", "run", "liver.scn")
        check(shell, "divan check ot", "divan", "check", "other.xml")
        check(shell, "divan run no", "divan", "run", "no") # no scene
        check(shell, "divan bench mes", "divan", "bench", "meshes/")
        check(shell, "divan save meshes/c", "divan", "save", "meshes/cube.scn")
        check(shell, "divan verify pendu", "divan", "verify", "pendulum")
        check(shell, "divan verify elastica/hexahedron-p", "divan", "verify", "elastica/hexahedron-polar-5")
        check(shell, "divan verify my_f", "divan", "verify", "my_fall.problem")
        check(shell, "divan verify --html no", "divan", "verify", "--html", "notes.txt")
        check(shell, "divan new-plugin x --kind lin", "divan", "new-plugin", "x", "--kind", "linear-solver")
        check(shell, "divan run my", "divan", "run", "my scene.scn")
        check(shell, "divan run liver.scn --dump-t", "divan", "run", "liver.scn", "--dump-topology")
        check(shell, "divan run liver.scn --dump sta", "divan", "run", "liver.scn", "--dump", "states.dump")
        check(shell, "divan run liver.scn --dump=sta", "divan", "run", "liver.scn", "--dump=states.dump")
        check(shell, "divan info UniformMas", "divan", "info", "UniformMass")
        listed = shell.alternatives("divan run ")
        if not {"liver.scn", "other.xml", "meshes/"} <= set(listed) or "notes.txt" in listed:
            FAILED.append("list")
            print("`divan run` offers %s" % listed)
        shell.end()
    return bool(FAILED)


if __name__ == "__main__":
    sys.exit(main())
