package histogram

// Limits of the files that are read, so that a file that was made to fill the memory is
// refused in its first lines.
const (
	// longestLine is the longest line of text around and in a percentile table.
	longestLine = 1 << 20
	// longestInterval is the longest line of an interval log: brokerbench writes
	// 400 kB if each bucket holds values.
	longestInterval = 16 << 20
	// mostBuckets is the largest histogram: 32 MiB, which is enough for five digits
	// from 1 ns to 1 h. Those of [New] have 34,000 buckets.
	mostBuckets = 4 << 20
	// mostRows is the longest percentile table: the finest that HdrHistogram's tools
	// print has some thousands of rows.
	mostRows = 1 << 20
)
