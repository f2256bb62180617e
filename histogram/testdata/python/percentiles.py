"""Prints the .hgrm of 1 µs to 10 ms, in milliseconds, as Python writes it."""
import sys

from hdrh.histogram import HdrHistogram

histogram = HdrHistogram(1, 3600 * 10**9, 3)
for value in range(10_000):
    histogram.record_value((value + 1) * 1000)
histogram.output_percentile_distribution(sys.stdout.buffer, 1e6)
