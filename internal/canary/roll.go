package canary

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
)

// keptMonths is how many months a folder keeps.
const keptMonths = 60

// decode returns the sums of a log's lines, with the exact extremes that its book has.
func decode(b *Book, log []byte) (Histograms, error) {
	sums, decoder, lines := NewHistograms(), new(histogram.Decoder), histogram.NewLogReader(bytes.NewReader(log))
	for {
		line, err := lines.NextLine()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return sums, err
		}
		if i := slices.Index(Tags[:], line.Tag); i >= 0 {
			if err := decoder.Add(line, sums[i]); err != nil {
				return sums, err
			}
		}
	}
	for i, tag := range Tags {
		if e, ok := b.Extremes[tag]; ok {
			if err := sums[i].SetExtremes(time.Duration(e.MinNS), time.Duration(e.MaxNS), e.Clamped); err != nil {
				return sums, err
			}
		}
	}
	return sums, nil
}

// encode returns the log of a book with one line for each series that has values.
func encode(b *Book, h Histograms) ([]byte, error) {
	var log bytes.Buffer
	start := b.Period.Start()
	w := histogram.NewLogWriter(&log, start)
	for i, tag := range Tags {
		if h[i].Count() == 0 {
			continue
		}
		if err := w.Write(tag, max(b.From.Sub(start), 0), max(b.To.Sub(start), 0), h[i]); err != nil {
			return nil, err
		}
	}
	return log.Bytes(), nil
}

// Load reads a book and its histograms. The error wraps [fs.ErrNotExist] if there is none.
func Load(dir string, p Period) (*Book, Histograms, error) {
	b, log, err := loadBook(dir, p)
	if err != nil {
		return nil, Histograms{}, err
	}
	h, err := decode(b, log)
	return b, h, err
}

// roll replaces the log of each hour of a day that is over by that of the day, and those of a month's days by that of the
// month. A period that live reports stays.
func (f *Folder) roll(now time.Time, live func(Period) bool) error {
	hourly, err := list(f.dir, hours)
	if err != nil {
		return err
	}
	for _, p := range hourly {
		if live(p) || p.End().After(now) {
			continue
		}
		if err := f.shut(p); err != nil {
			return err
		}
	}
	if err := f.fold(hourly, Period.Day, now, live); err != nil {
		return err
	}
	daily, err := list(f.dir, days)
	if err == nil {
		err = f.fold(daily, Period.Month, now, live)
	}
	monthly, listErr := list(f.dir, months)
	for len(monthly) > keptMonths {
		err = errors.Join(err, f.remove(monthly[0]))
		monthly = monthly[1:]
	}
	return errors.Join(err, listErr)
}

// shut gives the log of an hour that is over one line for each series. Turns that a killed process left open are settled.
func (f *Folder) shut(p Period) error {
	b, h, err := Load(f.dir, p)
	if err != nil || b.Closed {
		return err
	}
	b.Ledger, b.Acks = b.Settled()
	b.Open, b.Closed = nil, true
	return f.rewrite(b, h)
}

func (f *Folder) rewrite(b *Book, h Histograms) error {
	log, err := encode(b, h)
	if err != nil {
		return err
	}
	return f.replace(b, log)
}

// fold adds the books of periods that are over to those of the next larger kind, and removes them.
func (f *Folder) fold(parts []Period, into func(Period) Period, now time.Time, live func(Period) bool) error {
	for len(parts) > 0 {
		whole := into(parts[0])
		n := len(parts)
		if other := slices.IndexFunc(parts, func(p Period) bool { return into(p) != whole }); other > 0 {
			n = other
		}
		group := parts[:n]
		parts = parts[n:]
		if whole.End().After(now) || slices.ContainsFunc(group, live) {
			continue
		}
		if err := f.merge(whole, group); err != nil {
			return err
		}
	}
	return nil
}

// merge adds parts to a period, and removes them. A part that it has already, because a process was killed before it
// removed it, is not added again.
func (f *Folder) merge(whole Period, parts []Period) error {
	sum, total, err := Load(f.dir, whole)
	if errors.Is(err, fs.ErrNotExist) {
		sum, total, err = newBook(whole), NewHistograms(), nil
	}
	if err != nil {
		return err
	}
	for _, p := range parts {
		b, h, err := Load(f.dir, p)
		if err != nil {
			return err
		}
		if slices.Contains(sum.Holds, b.ID) {
			continue
		}
		sum.Add(b)
		if err := total.Merge(h); err != nil {
			return err
		}
		sum.Holds, sum.Rows = append(append(sum.Holds, b.ID), b.Holds...), append(sum.Rows, b.Row(h))
		if len(p) == len(dayLayout) {
			sum.Worst = WorstOf(append(sum.Worst, b.Rows...))
		}
	}
	if err := f.rewrite(sum, total); err != nil {
		return err
	}
	for _, p := range parts {
		if err := f.remove(p); err != nil {
			return err
		}
	}
	return nil
}
