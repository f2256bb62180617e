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
// No replicate is drawn and there is no seed: the bootstrapped statistic is a sum over
// intervals, and its variance over all block bootstrap samples has a closed form.
//
// With a long memory, percentiles resampled from short blocks cover too seldom: no
// resample holds events that the run did not have, and blocks interrupt the memory.
// So blocks are twice as long as Politis & White's formula says is best for the
// variance, at least m^(1/3) and at most m/3 of m intervals. A correction in scale
// and Student's t make up for their small number (Meketon & Schmeiser, Overlapping
// batch means, 1984).
//
// # Events
//
// The messages above a percentile over the design effect there are how many independent
// events they amount to ([Series.Events]). With fewer than three, the run does not show
// how often such events happen, and the upper bound is unknown.
//
// # Coverage
//
// docs/simulations/coverage.md has how often intervals contain the truth, and for which
// systems they do not; make simulate makes it. For independent values an interval is 10 %
// wider than order statistics alone.
//
// # Limits
//
// An interval is about the process that the run was a part of. It does not cover
// events that happen once a day, or another machine. A run that drifts, or that is not
// many times longer than the system's memory, does not show how much that matters:
// bounds become unknown, but with a memory of a tenth of the run coverage is nearer
// to 90 than to 95 %. Missing messages are assumed to be spread over the run like
// the others: the log's histograms do not show that losses come in bursts. Values
// have the three digits of a histogram.
package confidence
