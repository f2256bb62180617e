"""Writes an interval log as Python's writer does: no tags, six decimals."""
import sys

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogWriter


def main(path):
    with open(path, "w", encoding="utf-8") as out:
        log = HistogramLogWriter(out)
        log.output_comment("[Logged with write.py]")
        log.output_log_format_version()
        log.output_base_time(1764900000123)
        log.output_legend()
        for i in range(3):
            histogram = HdrHistogram(1, 3600 * 10**9, 3)
            for value in range(1000):
                histogram.record_value((i + 1) * (value + 1) * 1000)
            log.output_interval_histogram(histogram, float(i + 1), float(i + 2))


main(sys.argv[1])
