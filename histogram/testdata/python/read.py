"""Prints a line for each tag of an interval log: tag, start and end in ms since
the epoch, count, the percentiles asked for, and the maximum, in nanoseconds."""
import sys

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader


def main(path, percentiles):
    sums, starts, ends = {}, {}, {}
    reader = HistogramLogReader(path, HdrHistogram(1, 3600 * 10**9, 3))
    while True:
        interval = reader.get_next_interval_histogram()
        if interval is None:
            break
        tag = interval.get_tag()
        starts.setdefault(tag, interval.get_start_time_stamp())
        ends[tag] = interval.get_end_time_stamp()
        sums.setdefault(tag, HdrHistogram(1, 3600 * 10**9, 3)).add(interval)
    reader.close()
    for tag, total in sorted(sums.items()):
        values = [round(starts[tag]), round(ends[tag]), total.get_total_count()]
        values += [total.get_value_at_percentile(p) for p in percentiles]
        print(tag, *values, total.get_max_value())


main(sys.argv[1], [float(p) for p in sys.argv[2:]])
