"""Side-by-side benchmarks of moac's kernels and their peers; `bench.py` is the command."""
