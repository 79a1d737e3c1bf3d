#!/usr/bin/env python3
"""A product of two square matrices in PyTorch: the fastest multiplication of floats on this machine.

    matrix_product.py SIZE
"""
import sys

from turns import fastest, keep_memory, take_turns, thread_counts

keep_memory()
import torch


def main():
    size = int(sys.argv[1])
    a, b, c = (torch.rand(size, size) for _ in range(3))

    def make(threads):
        def job():
            torch.set_num_threads(threads)
            torch.mm(a, b, out=c)

        return lambda: job

    take_turns(*fastest([(f"{size}^3 sgemm of PyTorch {torch.__version__}, {threads} threads", make(threads))
                         for threads in thread_counts()]))


if __name__ == "__main__":
    main()
