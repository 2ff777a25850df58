"""PCA of a table larger than memory: how long it takes, and how much each worker holds.

    python benchmarks/large.py --gigabytes 20

writes a table of 784 columns in single precision to a folder (deleted at the end), in blocks of 20,000 rows, and fits
`PCA` to it with two workers of 2 GB each. It prints the time of reading the table once, of the fit, the processor
time and the peak memory of each worker, and how far the fit of the first blocks is from that in memory.
"""

import argparse
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import psutil
from dask import array
from dask.distributed import Client, LocalCluster

from dimred_lessons import PCA
from dimred_lessons.large import fit_pca

ROWS, COLUMNS, CAUSES = 20_000, 784, 14


def write_block(mixing, block_info=None):
    """Points with a few causes of unequal size and noise, a mean far from zero; the same in every run."""
    number, _ = block_info[None]["chunk-location"]
    rng = np.random.default_rng([0, number])
    causes = rng.standard_normal((ROWS, CAUSES), dtype=np.float32)
    noise = rng.standard_normal((ROWS, COLUMNS), dtype=np.float32)
    return 100 + causes @ mixing + noise


def total(block):
    return block.sum(keepdims=True)


class Peaks:
    """Peak memory and processor time of some processes, sampled twenty times a second."""

    def __init__(self, pids):
        self.workers, self.peak, self.done = [psutil.Process(pid) for pid in pids], [0] * len(pids), threading.Event()

    def __enter__(self):
        self.before, self.start = self.processor_seconds(), time.perf_counter()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()
        return self

    def look(self):
        while not self.done.wait(0.05):
            self.peak = [max(peak, w.memory_info().rss / 2**20) for peak, w in zip(self.peak, self.workers)]

    def processor_seconds(self):
        return sum(sum(worker.cpu_times()[:2]) for worker in self.workers)

    def __exit__(self, *error):
        self.seconds, self.busy = time.perf_counter() - self.start, self.processor_seconds() - self.before
        self.done.set()
        self.thread.join()

    def __str__(self):
        peaks = " and ".join(f"{peak:.0f}" for peak in self.peak)
        return f"{self.seconds:.1f} s, {self.busy:.1f} processor seconds, peak {peaks} MiB"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gigabytes", type=float, default=2)
    parser.add_argument("--folder", help="a folder on the disk to use; by default that of temporary files")
    parser.add_argument("--limit", default="2GB", help="memory of each of the two workers")
    options = parser.parse_args()
    n_blocks = round(options.gigabytes * 1e9 / (ROWS * COLUMNS * 4))
    scales = np.linspace(10, 3, CAUSES)[:, np.newaxis]
    mixing = (np.random.default_rng(0).standard_normal((CAUSES, COLUMNS)) * scales).astype(np.float32)
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit=options.limit, dashboard_address="127.0.0.1:0"
    )
    with tempfile.TemporaryDirectory(dir=options.folder) as folder, cluster, Client(cluster) as client:
        pids = list(client.run(lambda: psutil.Process().pid).values())
        chunks = ((ROWS,) * n_blocks, (COLUMNS,))
        table = array.map_blocks(write_block, mixing, chunks=chunks, meta=np.empty((0, 0), np.float32))
        with Peaks(pids) as peaks:
            array.to_npy_stack(Path(folder) / "table", table)
        print(f"written: {table.shape[0]:,} × {COLUMNS}, {table.nbytes / 1e9:.1f} GB: {peaks}", flush=True)
        X = array.from_npy_stack(Path(folder) / "table")
        with Peaks(pids) as peaks:
            X.map_blocks(total, chunks=((1,) * n_blocks, (1,)), meta=np.empty((0, 0))).sum().compute()
        print(f"read once: {peaks}", flush=True)
        with Peaks(pids) as peaks:
            pca = fit_pca(X, 10)
        print(f"fit_pca, 10 components: {peaks}", flush=True)
        print(f"shares of the variance: {np.round(pca.explained_variance_ratio_, 3)}")
        few = X.blocks[:2]
        whole, blockwise = PCA(10).fit(few.compute(scheduler="synchronous")), fit_pca(few, 10)
        differences = [
            np.abs(getattr(whole, name) - getattr(blockwise, name)).max() for name in ("mean_", "components_")
        ]
        print(f"two blocks against memory: mean {differences[0]:.1e}, directions with signs {differences[1]:.1e}")


if __name__ == "__main__":
    main()
