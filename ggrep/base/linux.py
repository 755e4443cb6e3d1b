"""System calls and files that only Linux has.

No other module does so, which a test looks after; docs/platforms.md says what other systems have in
the place of each. The standard library alone, and as little of it as can be: searches load this.
"""
# pathlib and ctypes take longer to import than all of this to run

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket

PASSED_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""Opens a directory to go through it, without leave to read it; a link is refused."""

_PEER_BYTES = 12
_STATFS_BYTES = 512
"""More than `struct statfs` takes anywhere."""
_MADV_DONTNEED = 4
_SET_PARENT_DEATH_SIGNAL = 1
"""`PR_SET_PDEATHSIG` of `linux/prctl.h`."""
_SIGKILL = 9
_LOCK = "hhqqi4x"
"""The kernel's `struct flock` with 64-bit offsets: type, whence, start, length, pid."""


def stat_fields(pid: int) -> list[bytes] | None:
    """Return what `/proc/PID/stat` says behind the command, the state first; None without it."""
    try:
        text = _read(f"/proc/{pid}/stat")
    except OSError:
        return None
    # The command stands in parentheses and may itself hold some, and blanks.
    return text[text.rindex(b")") + 1 :].split()


def is_stopped(pid: int) -> bool:
    """Return whether a process does not run until a signal lets it continue."""
    fields = stat_fields(pid)
    return fields is not None and fields[0] in {b"T", b"t"}


def boot_id() -> str:
    """Return what differs after each start of the machine; empty where it does not say."""
    try:
        return _read("/proc/sys/kernel/random/boot_id").decode("ascii").strip()
    except OSError:
        return ""


def seconds_since_boot() -> float:
    """Return how long the machine is up, the time that it slept included."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def resident_bytes() -> int:
    """Return the memory of this process that is in use."""
    return int(_read("/proc/self/statm").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def children() -> list[int] | None:
    """Return the running children of this process; None where the kernel does not list them."""
    pids: list[int] = []
    tasks = "/proc/self/task"
    try:
        for task in sorted(os.listdir(tasks)):  # noqa: PTH208 - see above
            try:
                pids += map(int, _read(f"{tasks}/{task}/children").split())
            except FileNotFoundError:
                if os.path.exists(f"{tasks}/{task}"):  # noqa: PTH110 - see above
                    return None
                # else the thread ended
            except ProcessLookupError:
                continue
    except FileNotFoundError:
        return None
    return sorted(pids)


def mount_table() -> bytes | None:
    """Return the kernel's table of mounts; None where it has none."""
    try:
        return _read("/proc/self/mountinfo")
    except OSError:
        return None


def file_system_number(path: bytes) -> int:
    """Return the kernel's number of the type of the file system that a path lies on."""
    import ctypes

    buffer = ctypes.create_string_buffer(_STATFS_BYTES)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.statfs(path, buffer) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), os.fsdecode(path))
    return ctypes.c_long.from_buffer(buffer).value & 0xFFFFFFFF


def most_watches() -> int | None:
    """Return how many directories a user may watch; None if unknown."""
    try:
        return int(_read("/proc/sys/fs/inotify/max_user_watches"))
    except (OSError, ValueError):
        return None


def peer_of(connection: "socket") -> tuple[int, int]:
    """Return pid and user of the process at the other end of a Unix socket."""
    from _socket import SO_PEERCRED, SOL_SOCKET

    credentials = connection.getsockopt(SOL_SOCKET, SO_PEERCRED, _PEER_BYTES)
    pid, uid = credentials[:4], credentials[4:8]
    return int.from_bytes(pid, sys.byteorder), int.from_bytes(uid, sys.byteorder)


def file_in_memory(name: str) -> int:
    """Return the descriptor of a file that no directory holds."""
    return os.memfd_create(name)


def run_as_batch() -> None:
    """Have this process and its children wait for others, for the processor and for disks."""
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def forget_pages(address: int, size: int) -> None:
    """Let pages of a mapped file go.

    Requires: they are of a file, and were never written to: others would be zeros afterwards.
    """
    import ctypes

    ctypes.CDLL(None).madvise(
        ctypes.c_void_p(address), ctypes.c_size_t(size), ctypes.c_int(_MADV_DONTNEED)
    )


def end_with_parent() -> None:
    """Have this process killed once the thread that started it is no more."""
    import ctypes

    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, _SIGKILL)


def bound_memory(most_bytes: int) -> None:
    """Bound the addresses of this process, so that it fails where it would take more."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_AS)
    bound = most_bytes if most < 0 else min(most_bytes, most)
    resource.setrlimit(resource.RLIMIT_AS, (bound, most))


def take_byte(descriptor: int, offset: int) -> bool:
    """Lock one byte of an open file until the descriptor is closed; return False if it is taken."""
    import fcntl
    import struct

    wanted = struct.pack(_LOCK, fcntl.F_WRLCK, os.SEEK_SET, offset, 1, 0)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, wanted)
    except BlockingIOError:
        return False
    return True


def byte_is_taken(descriptor: int, offset: int) -> bool:
    """Return whether that byte of an open file is locked."""
    import fcntl
    import struct

    wanted = struct.pack(_LOCK, fcntl.F_RDLCK, os.SEEK_SET, offset, 1, 0)
    answer = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, wanted)
    return bool(struct.unpack(_LOCK, answer)[0] != fcntl.F_UNLCK)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 - see above
        return file.read()
