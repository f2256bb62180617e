package canary

import (
	"fmt"
	"time"
)

// A Period is an hour, a day or a month in UTC, as its files are called: 2026-11-27T12, 2026-11-27, 2026-11.
type Period string

// The layouts of the three kinds of periods.
const (
	hourLayout  = "2006-01-02T15"
	dayLayout   = "2006-01-02"
	monthLayout = "2006-01"
)

// The folders of the three kinds of periods.
const (
	hours  = "hours"
	days   = "days"
	months = "months"
)

// HourOf returns the hour of a moment.
func HourOf(t time.Time) Period { return Period(t.UTC().Format(hourLayout)) }

// Day returns the day of an hour, and a day itself.
func (p Period) Day() Period { return p[:len(dayLayout)] }

// Month returns the month of an hour or a day, and a month itself.
func (p Period) Month() Period { return p[:len(monthLayout)] }

// layout returns the layout and the folder of the period's kind.
func (p Period) layout() (layout, folder string) {
	switch len(p) {
	case len(hourLayout):
		return hourLayout, hours
	case len(dayLayout):
		return dayLayout, days
	}
	return monthLayout, months
}

// Start returns when the period begins; zero if it is none.
func (p Period) Start() time.Time {
	layout, _ := p.layout()
	at, _ := time.Parse(layout, string(p)) // which Check has read
	return at
}

// End returns when the next period of its kind begins.
func (p Period) End() time.Time {
	switch start := p.Start(); len(p) {
	case len(hourLayout):
		return start.Add(time.Hour)
	case len(dayLayout):
		return start.AddDate(0, 0, 1)
	default:
		return start.AddDate(0, 1, 0)
	}
}

// Check returns an error if p is no period.
func (p Period) Check() error {
	layout, _ := p.layout()
	if at, err := time.Parse(layout, string(p)); err != nil || at.Format(layout) != string(p) {
		return fmt.Errorf("%q is no period: want an hour, a day or a month, such as 2026-11-27T12", string(p))
	}
	return nil
}
