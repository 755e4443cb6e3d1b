"""System calls and files that only Linux has.

A test checks that no other module uses such calls and files; docs/platforms.md lists the
counterparts of other systems. This module only imports small parts of the standard library, as
searches load it.
"""
# importing pathlib and ctypes takes longer than running this whole module

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket

PASSED_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""Opens a directory for access to its entries, without permission to list it; a link is refused."""

_PEER_BYTES = 12
_STATFS_BYTES = 512
"""An upper bound on the size of `struct statfs` on all architectures."""
_MADV_DONTNEED = 4
_PROT_READ = 1
_MAP_SHARED = 1
_ARENA_MAX = -8
_SET_PARENT_DEATH_SIGNAL = 1
"""`PR_SET_PDEATHSIG` of `linux/prctl.h`."""
_SIGKILL = 9
_LOCK = "hhqqi4x"
"""The kernel's `struct flock` with 64-bit offsets: type, whence, start, length, pid."""


def stat_fields(pid: int) -> list[bytes] | None:
    """Return the fields of `/proc/PID/stat` after the command, the state first.

    None if the file cannot be read.
    """
    try:
        text = _read(f"/proc/{pid}/stat")
    except OSError:
        return None
    # The command is in parentheses, and may contain parentheses and blanks.
    return text[text.rindex(b")") + 1 :].split()


def is_stopped(pid: int) -> bool:
    """Return whether a signal has stopped a process, which can be continued."""
    fields = stat_fields(pid)
    return fields is not None and fields[0] in {b"T", b"t"}


def boot_id() -> str:
    """Return the id of the machine's boot; empty if unknown."""
    try:
        return _read("/proc/sys/kernel/random/boot_id").decode("ascii").strip()
    except OSError:
        return ""


def seconds_since_boot() -> float:
    """Return the machine's time since boot, including sleep."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def resident_bytes() -> int:
    """Return the resident memory of this process."""
    return int(_read("/proc/self/statm").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def children() -> list[int] | None:
    """Return the ids of this process's running children; None if the kernel does not list them."""
    pids: list[int] = []
    tasks = "/proc/self/task"
    try:
        for task in sorted(os.listdir(tasks)):  # noqa: PTH208 - see above
            try:
                pids += map(int, _read(f"{tasks}/{task}/children").split())
            except FileNotFoundError:
                if os.path.exists(f"{tasks}/{task}"):  # noqa: PTH110 - see above
                    return None
                # otherwise the thread has ended
            except ProcessLookupError:
                continue
    except FileNotFoundError:
        return None
    return sorted(pids)


def mount_table() -> bytes | None:
    """Return the kernel's table of mounts; None if it cannot be read."""
    try:
        return _read("/proc/self/mountinfo")
    except OSError:
        return None


def file_system_number(path: bytes) -> int:
    """Return the kernel's type number of the file system of a path."""
    import ctypes

    buffer = ctypes.create_string_buffer(_STATFS_BYTES)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.statfs(path, buffer) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), os.fsdecode(path))
    return ctypes.c_long.from_buffer(buffer).value & 0xFFFFFFFF


def most_watches() -> int | None:
    """Return the maximum number of directories that a user can watch; None if unknown."""
    try:
        return int(_read("/proc/sys/fs/inotify/max_user_watches"))
    except (OSError, ValueError):
        return None


def peer_of(connection: "socket") -> tuple[int, int]:
    """Return the process id and user id of the process at the other end of a Unix socket."""
    from _socket import SO_PEERCRED, SOL_SOCKET

    credentials = connection.getsockopt(SOL_SOCKET, SO_PEERCRED, _PEER_BYTES)
    pid, uid = credentials[:4], credentials[4:8]
    return int.from_bytes(pid, sys.byteorder), int.from_bytes(uid, sys.byteorder)


def file_in_memory(name: str) -> int:
    """Create a file in memory, without a directory entry; return its descriptor."""
    return os.memfd_create(name)


def run_as_batch() -> None:
    """Lower the priority of this process and its children, for processors and disks."""
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def forget_pages(address: int, size: int) -> None:
    """Release resident pages of a mapped file.

    Requires: the pages belong to a file and were never written, as other pages become zeros.
    """
    import ctypes

    ctypes.CDLL(None).madvise(
        ctypes.c_void_p(address), ctypes.c_size_t(size), ctypes.c_int(_MADV_DONTNEED)
    )


def return_free_memory() -> None:
    """Return freed memory to the system, if the C library supports that."""
    import ctypes

    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(ctypes.c_size_t(0))


def mapped(descriptor: int, size: int) -> memoryview:
    """Map a file read-only; return its bytes. The map exists as long as any view of it.

    The descriptor may be closed at once, unlike with Python's `mmap`, which keeps a descriptor
    open.

    Raises:
        OSError: the file cannot be mapped.
    """
    import ctypes
    import weakref

    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    address = libc.mmap(
        None,
        ctypes.c_size_t(size),
        ctypes.c_int(_PROT_READ),
        ctypes.c_int(_MAP_SHARED),
        ctypes.c_int(descriptor),
        ctypes.c_int64(0),
    )
    if address == ctypes.c_void_p(-1).value:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    memory = (ctypes.c_ubyte * size).from_address(address)
    unmap = weakref.finalize(memory, libc.munmap, ctypes.c_void_p(address), ctypes.c_size_t(size))
    unmap.atexit = False  # other threads may still read at exit; the kernel unmaps then
    return memoryview(memory).toreadonly()


def end_with_parent() -> None:
    """Let the kernel kill this process when the thread that started it ends."""
    import ctypes

    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, _SIGKILL)


def share_one_heap() -> None:
    """Let all threads allocate from one heap, if the C library supports that.

    A heap of a thread keeps the memory that the thread frees. Threads of one interpreter take
    turns, so they hardly ever wait for a shared heap.

    Requires: this process has one thread.
    """
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, 1)


def bound_memory(most_bytes: int) -> None:
    """Limit the address space of this process; larger allocations fail."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_AS)
    bound = most_bytes if most < 0 else min(most_bytes, most)
    resource.setrlimit(resource.RLIMIT_AS, (bound, most))


def take_byte(descriptor: int, offset: int) -> bool:
    """Lock a byte of an open file until the descriptor is closed; False if the byte is taken."""
    import fcntl
    import struct

    wanted = struct.pack(_LOCK, fcntl.F_WRLCK, os.SEEK_SET, offset, 1, 0)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, wanted)
    except BlockingIOError:
        return False
    return True


def byte_is_taken(descriptor: int, offset: int) -> bool:
    """Return whether a process has locked the byte at `offset` of an open file."""
    import fcntl
    import struct

    wanted = struct.pack(_LOCK, fcntl.F_RDLCK, os.SEEK_SET, offset, 1, 0)
    answer = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, wanted)
    return bool(struct.unpack(_LOCK, answer)[0] != fcntl.F_UNLCK)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 - see above
        return file.read()
