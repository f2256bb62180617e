package canary

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// ReportSchema is the schema of a [Report].
const ReportSchema = "brokerbench/canary-report/1"

// A Report is what a folder holds, summed up.
type Report struct {
	Schema  string    `json:"schema"`
	Target  string    `json:"target"`
	Shape   string    `json:"shape"`
	Created time.Time `json:"created"`
	Until   time.Time `json:"until"`  // the last flush
	Months  []Month   `json:"months"` // the newest first
	Days    []Row     `json:"days"`   // of this month and the last, the newest first
	Worst   []Row     `json:"worst"`  // the worst hours of the same months
}

// A Month sums up all logs of a month.
type Month struct {
	Row

	From     time.Time             `json:"from"`
	To       time.Time             `json:"to"`
	Lag      results.Distribution  `json:"lag"`
	Ack      *results.Distribution `json:"ack,omitempty"` // absent: nothing was acknowledged
	Strays   load.Strays           `json:"strays"`
	Gaps     []Span                `json:"gaps"`
	Outages  []Span                `json:"outages"`
	Dropped  int                   `json:"dropped"` // short spans that are not listed
	Failures []load.Failure        `json:"failures"`
	Notes    []string              `json:"notes"`
}

// an entry is a book with its histograms.
type entry struct {
	*Book
	Histograms
}

// Read sums up the folder of a canary, which may run meanwhile.
func Read(dir string) (r Report, err error) {
	id, err := ReadIdentity(dir)
	if err != nil {
		return r, err
	}
	r = Report{Schema: ReportSchema, Target: id.Target, Shape: id.Shape, Created: id.Created}
	all, err := entries(dir)
	if err != nil {
		return r, err
	}
	byMonth := make(map[Period][]entry)
	for _, e := range all {
		byMonth[e.Period.Month()] = append(byMonth[e.Period.Month()], e)
	}
	for _, p := range slices.Backward(slices.Sorted(maps.Keys(byMonth))) {
		m, err := monthOf(p, byMonth[p])
		if err != nil {
			return r, err
		}
		if r.Months = append(r.Months, m); m.To.After(r.Until) {
			r.Until = m.To
		}
		if len(r.Months) <= 2 {
			dayRows, hourRows, err := rows(byMonth[p])
			if err != nil {
				return r, err
			}
			r.Days, r.Worst = append(r.Days, dayRows...), append(r.Worst, hourRows...)
		}
	}
	r.Worst = WorstOf(r.Worst)
	return r, nil
}

// entries returns all books that are not in another. A running canary first writes the sum and then removes its parts:
// so parts are read first, and those that a sum holds are left out.
func entries(dir string) (all []entry, err error) {
	held := make(map[string]bool)
	for _, folder := range []string{hours, days, months} {
		periods, err := list(dir, folder)
		if err != nil {
			return nil, err
		}
		for _, p := range periods {
			b, h, err := Load(dir, p)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			all = append(all, entry{b, h})
			for _, id := range b.Holds {
				held[id] = true
			}
		}
	}
	return slices.DeleteFunc(all, func(e entry) bool { return held[e.ID] }), nil
}

// sum adds entries up.
func sum(p Period, parts []entry) (entry, error) {
	s := entry{newBook(p), NewHistograms()}
	for _, e := range parts {
		s.Add(e.Book)
		if err := s.Merge(e.Histograms); err != nil {
			return s, err
		}
	}
	return s, nil
}

func monthOf(p Period, parts []entry) (Month, error) {
	slices.SortStableFunc(parts, func(a, b entry) int { return a.Period.Start().Compare(b.Period.Start()) }) // as spans follow each other
	s, err := sum(p, parts)
	for _, list := range [][]Span{s.Gaps, s.Outages} {
		slices.SortStableFunc(list, func(a, b Span) int { return a.From.Compare(b.From) })
	}
	m := Month{
		Row: s.Row(s.Histograms), From: s.From, To: s.To, Lag: results.NewDistribution(s.Histograms[Lag], 0), Strays: s.Strays,
		Gaps: s.Gaps, Outages: s.Outages, Dropped: s.Dropped, Failures: s.Failures, Notes: s.Notes,
	}
	if m.Acks != (load.AckLedger{}) {
		m.Ack = new(results.NewDistribution(s.Histograms[Ack], m.Ledger.Due-s.Histograms[Ack].Count()))
	}
	return m, err
}

// rows returns those of the days of a month, the newest first, and of its hours, as far as they are kept.
func rows(parts []entry) (dayRows, hourRows []Row, err error) {
	byDay := make(map[Period][]entry)
	for _, e := range parts {
		switch hourRows = append(hourRows, e.Worst...); len(e.Period) {
		case len(monthLayout):
			dayRows = append(dayRows, e.Rows...)
			continue
		case len(dayLayout):
			hourRows = append(hourRows, e.Rows...)
		default:
			hourRows = append(hourRows, e.Row(e.Histograms))
		}
		byDay[e.Period.Day()] = append(byDay[e.Period.Day()], e)
	}
	for p, list := range byDay {
		s, err := sum(p, list)
		if err != nil {
			return nil, nil, err
		}
		dayRows = append(dayRows, s.Row(s.Histograms))
	}
	slices.SortStableFunc(dayRows, func(a, b Row) int { return cmp.Compare(b.Period, a.Period) })
	return dayRows, hourRows, nil
}
