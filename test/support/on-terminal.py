"""Runs a program on a terminal of its own (a pseudo-terminal): on-terminal.py COLUMNS PROGRAM [ARG…]

What the program writes goes to stdout as it is. Commands come on stdin, a line each: `resize N`, `type HEX` (keys
pressed), `cont` (SIGCONT, as a shell's `fg` sends it). At the end `exit N` or `signal N` stands on stderr.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios


def set_columns(fd: int, columns: int) -> None:
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def obey(master: int, child: int, line: str) -> None:
    command, _, argument = line.partition(" ")
    if command == "resize":
        set_columns(master, int(argument))
    elif command == "type":
        os.write(master, bytes.fromhex(argument))
    elif command == "cont":
        os.kill(child, signal.SIGCONT)


def main() -> None:
    child, master = pty.fork()
    if child == 0:
        set_columns(0, int(sys.argv[1]))
        os.execvp(sys.argv[2], sys.argv[2:])
    pending = b""
    sources = [master, 0]
    while master in sources:
        ready, _, _ = select.select(sources, [], [])
        if master in ready:
            try:
                data = os.read(master, 65536)
            except OSError:
                data = b""
            if data:
                os.write(1, data)
            else:
                sources.remove(master)
        if 0 in ready:
            data = os.read(0, 65536)
            if not data:
                sources.remove(0)
                os.kill(child, signal.SIGKILL)
            pending += data
            while b"\n" in pending:
                line, _, pending = pending.partition(b"\n")
                obey(master, child, line.decode())
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        print(f"signal {os.WTERMSIG(status)}", file=sys.stderr)
    else:
        print(f"exit {os.WEXITSTATUS(status)}", file=sys.stderr)


main()
