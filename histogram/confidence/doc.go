// Package confidence says how far a percentile of a run can be trusted: its 95 %
// confidence interval, from the histograms of the run's intervals of a second.
//
//	var s confidence.Series
//	for … { s.Add(second) }
//	i, ok := s.Interval(99, missing)
//
// # Method
//
// If latencies were independent, order statistics would do. The number of values up
// to the true percentile is binomial, whatever the distribution, so in 95 % of all
// runs the percentile lies between the values of two ranks (Hahn & Meeker,
// Statistical Intervals, 1991, chapter 5). They are computed exactly. If no value is
// far enough out, the bound is unknown: a run without a value above a bound cannot
// exclude that there are any.
//
// Latencies are not independent: a queue, a pause or a slow minute hits many at a
// time. A circular block bootstrap over the intervals (Künsch 1989; Politis &
// Romano 1992) shows by how much the share of values up to the percentile varies
// more than it would for independent values: the design effect. That many values say
// as much as one. The interval is that of order statistics for the effective number
// of values, stretched over all of them (Korn & Graubard, Confidence intervals for
// proportions with small expected number of positive counts estimated from survey
// data, Survey Methodology 24, 1998). It is never narrower than that of order
// statistics. So a bound is also unknown if there were only a few events beyond it,
// however many messages they hit.
//
// No replicate is drawn and there is no seed: what is bootstrapped is a sum over
// intervals, and its variance over all block bootstrap samples has a closed form.
//
// With a long memory, percentiles resampled from short blocks cover too seldom: no
// resample holds what did not happen in the run, and blocks break the memory apart.
// So blocks are twice as long as Politis & White's formula says is best for the
// variance, at least m^(1/3) and at most m/3 of m intervals. A correction in scale
// and Student's t make up for their small number (Meketon & Schmeiser, Overlapping
// batch means, 1984).
//
// # Coverage
//
// Latencies are log-normal: exp of an autoregressive process of order 1 with a memory
// of that many intervals. In the last three rows the process has a tenth of the
// variance and white noise the rest. "Covered" is the share of 200 runs, in percent
// (± 2), in which the interval held p50 · p90 · p99. For comparison there are order
// statistics alone, and blocks of m^(1/3) without corrections. "Both known" is the
// share of runs in which both bounds were known: an unknown bound excludes nothing.
// Made by
//
//	go test ./histogram/confidence -run Coverage -long -v
//
//	intervals × ops   memory   covered              order statistics   short blocks         both known
//	     60 × 100     0        96.0 · 97.5 · 97.0   95 · 96 · 96       95.0 · 95.5 · 96.5   100 · 100 · 100
//	     60 × 100     0.1      94.5 · 96.0 · 96.0   39 · 51 · 57       92.5 · 95.5 · 93.5   100 · 100 · 100
//	    300 × 1000    0.1      95.5 · 95.0 · 96.0   10 · 15 · 20       95.5 · 93.5 · 95.5   100 · 100 · 100
//	     60 × 100     1        95.5 · 92.5 · 93.5   14 · 17 · 21       90.0 · 91.0 · 85.5   100 ·  72 ·   6
//	     60 × 100     3.3      97.5 · 95.0 · 97.5    7 ·  9 ·  9       82.0 · 83.0 · 91.0    65 ·  10 ·   0
//	     30 × 100     10       95.0 · 95.0 · 93.5    5 ·  6 ·  1       58.0 · 74.0 · 90.5    12 ·   0 ·   0
//	     60 × 100     10       94.5 · 96.5 · 94.5    6 ·  7 ·  2       62.0 · 67.0 · 87.5    22 ·   1 ·   0
//	    120 × 100     10       94.5 · 97.0 · 97.0    5 ·  6 ·  4       68.0 · 70.5 · 91.0    53 ·   3 ·   0
//	    300 × 100     10       95.0 · 90.5 · 94.5    5 ·  6 ·  6       74.0 · 73.5 · 86.5   100 ·  39 ·   0
//	     60 × 300     4.8      94.0 · 91.5 · 93.5   12 · 15 · 32       68.0 · 69.5 · 70.5   100 ·  96 ·  73
//	     30 × 300     3.3      92.5 · 92.0 · 94.0   10 · 17 · 37       70.0 · 70.0 · 70.5   100 ·  93 ·  63
//	     30 × 3000    3.3      91.0 · 91.0 · 90.5    5 ·  8 · 17       69.0 · 67.5 · 66.0   100 ·  95 ·  74
//
// For independent values it is 10 % wider than order statistics alone.
//
// # Limits
//
// An interval is about the process that the run was a part of. It knows nothing of
// what happens once a day, or of another machine. A run that drifts, or that is not
// many times longer than the system's memory, does not show how much that matters:
// bounds become unknown, but with a memory of a tenth of the run coverage is nearer
// to 90 than to 95 %. Missing messages are assumed to be spread over the run like
// the others: the log's histograms do not show that losses come in bursts. Values
// have the three digits of a histogram.
package confidence
