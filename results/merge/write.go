package merge

import (
	"io"

	"github.com/brokerbench/brokerbench/histogram"
)

// WritePercentiles writes the sum as a .hgrm file, in milliseconds. It has no
// missing messages.
func (m *Sum) WritePercentiles(w io.Writer) error { return histogram.WritePercentiles(w, m.Histogram) }

// WriteLog writes the sum as an interval log with one interval, from where the
// first of the parts began to where the last ended. The sum of logs that were
// written at different times has no meaning second by second.
func (m *Sum) WriteLog(w io.Writer) error {
	return histogram.NewLogWriter(w, m.Start).Write(m.Tag, 0, m.End.Sub(m.Start), m.Histogram)
}
