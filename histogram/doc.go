// Package histogram records latencies in HdrHistograms, and reads and writes the
// files that the HdrHistogram tools share.
//
// A [Histogram] holds values from 1 ns to 1 h to three significant digits, in
// 270 kB, however many values there are. Histograms of the same kind are added
// without loss ([Histogram.Merge]); percentiles are never averaged. A [Recorder]
// takes values from many goroutines and hands them over one interval at a time.
//
// Two kinds of files are exchanged with other tools:
//
//   - .hgrm, the percentile distribution as text, as Java's
//     AbstractHistogram.outputPercentileDistribution writes it
//     ([WritePercentiles], [ReadPercentiles]);
//   - .hlog, the interval log V2 (1.3), one compressed histogram for each interval
//     and tag
//     ([LogWriter], [ReadLog]).
package histogram
