"""A peer that takes turns with a benchmark: reads a number of calls per line, makes them, prints the seconds they took.

The first line it prints names the setting it found fastest. POPSCOPE_PEER_THREADS limits its threads.
"""
import os
import sys
import time

# Otherwise PyTorch unmaps and maps its activations in every step, which costs thousands of page faults.
ALLOCATOR = {"MALLOC_TRIM_THRESHOLD_": "1073741824", "MALLOC_MMAP_THRESHOLD_": "1073741824", "MALLOC_TOP_PAD_": "67108864"}


def keep_memory():
    """Restarts this program with an allocator that does not return memory; call before other imports."""
    if not all(os.environ.get(name) for name in ALLOCATOR):
        os.execve(sys.executable, [sys.executable] + sys.argv, {**os.environ, **ALLOCATOR})


def seconds(job, calls):
    """A job whose attribute `steps` is more than 1 makes so many calls at once, the last ones perhaps in vain."""
    steps = getattr(job, "steps", 1)
    jobs = -(-calls // steps)
    start = time.perf_counter()
    for _ in range(jobs):
        job()
    return (time.perf_counter() - start) * calls / (jobs * steps)


def thread_counts():
    limit = int(os.environ.get("POPSCOPE_PEER_THREADS", os.cpu_count()))
    return sorted({1, limit})


def fastest(settings):
    """The name, the job and the seconds per call of the fastest of (name, make) pairs, each timed in three rounds.

    Jobs of several calls save the start of all but one, which are some 0.1 ms each. They are left out where the calls of
    a setting before them take so long that this does not matter.
    """
    jobs = []
    for name, make in settings:
        if getattr(make, "steps", 1) > 1 and jobs and min(took for took, *_ in jobs) > 0.02:
            continue
        job = make()
        job()
        calls = getattr(job, "steps", 1)
        while (took := seconds(job, calls)) < 0.05:
            calls *= 2
        jobs.append([took / calls, name, job, calls])
    for _ in range(3):
        for entry in jobs:
            entry[0] = min(entry[0], seconds(entry[2], entry[3]) / entry[3])
    took, name, job, _ = min(jobs, key=lambda entry: entry[0])
    return name, job, took


def take_turns(name, job, *_):
    print(name, flush=True)
    for line in sys.stdin:
        took = seconds(job, int(line))
        time.sleep(0.02)  # its threads spin a few milliseconds for more work; that is not taken from the next turn
        print(took, flush=True)
