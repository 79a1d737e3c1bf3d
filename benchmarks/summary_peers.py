#!/usr/bin/env python3
"""The Python side of the summary benchmarks: does one job and prints its speed.

    summary_peers.py JOB DIRECTORY [--quick]

Jobs: scalars-tensorboardx, scalars-torch (events per second, closing
included), histogram-numpy, histogram-tensorflow (elements per second).
Exits with 3 if the package the job needs is not installed.
"""
import sys
import time


def best_of(rounds, job):
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - start)
    return sorted(seconds)[rounds // 2]


def scalars(make_writer, directory, quick):
    events = 20_000 if quick else 100_000

    def job():
        writer = make_writer(directory)
        for step in range(events):
            writer.add_scalar("train/loss", 0.5, step)
        writer.close()

    return events / best_of(3, job)


def elements(quick):
    import numpy

    count = 1_000_000 if quick else 10_000_000
    return numpy.random.default_rng(1).normal(0, 0.05, count).astype(numpy.float32)


def scalars_tensorboardx(directory, quick):
    from tensorboardX import SummaryWriter

    return scalars(SummaryWriter, directory, quick)


def scalars_torch(directory, quick):
    from torch.utils.tensorboard import SummaryWriter

    return scalars(SummaryWriter, directory, quick)


def histogram_numpy(_directory, quick):
    import numpy

    data = elements(quick)
    return data.size / best_of(5, lambda: numpy.histogram(data, bins=30))


def histogram_tensorflow(directory, quick):
    import tensorflow

    data = tensorflow.constant(elements(quick))
    writer = tensorflow.summary.create_file_writer(directory)
    with writer.as_default():
        step = iter(range(1_000_000))
        job = lambda: tensorflow.summary.histogram("weights", data, step=next(step))
        job()
        return float(tensorflow.size(data)) / best_of(5, job)


JOBS = {
    "scalars-tensorboardx": scalars_tensorboardx,
    "scalars-torch": scalars_torch,
    "histogram-numpy": histogram_numpy,
    "histogram-tensorflow": histogram_tensorflow,
}


def main():
    job, directory = sys.argv[1:3]
    try:
        print(JOBS[job](directory, "--quick" in sys.argv))
    except ImportError as error:
        print(error, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
