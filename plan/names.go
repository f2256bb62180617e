package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// ID returns the name of the cell's folder, unique among the cells of a plan. It is for files and for
// programs; String is for people.
func (c Cell) ID() string { return fmt.Sprintf("%s-r%d", c.SharedID(), max(c.Repeat, 1)) }

// SharedID returns the name of the folder that a cell shares with its repeats, and with no other
// cell of a plan.
func (c Cell) SharedID() string { return FileName(c.Target.Name) + "-" + c.Shape.ID() }

// ID returns the shape as folders name it: letters, digits, dashes and dots.
func (s Shape) ID() string {
	inFlight := "open"
	if s.InFlight > 0 {
		inFlight = strconv.Itoa(s.InFlight)
	}
	rate := strings.ReplaceAll(s.Rate.Column(), "/", "-per-") // 7-per-m
	if s.Changes != "" {
		rate = changesName(s.Changes)
	}
	text := fmt.Sprintf("%s-%s-c%d-f%s", rate, s.sizeID(), s.Connections, inFlight)
	if !s.Arrivals.Even() {
		text += "-" + strings.ReplaceAll(string(s.Arrivals), ":", "") // burst10
	}
	if s.Section > 0 {
		text += fmt.Sprintf("-s%d", s.Section)
	}
	if t := s.Topology; !t.Own() {
		text += fmt.Sprintf("-t%d-g%d-m%d", t.Topics, t.Groups, t.Members)
	}
	if b := s.Backlog; b != (Backlog{}) {
		text += fmt.Sprintf("-b%d", b.Of(s.Size))
	}
	if s.UntilStore > 0 {
		text += fmt.Sprintf("-u%d", s.UntilStore)
	}
	return text + s.messageID()
}

// String names the cell for people: "nats, 1 KiB at 1,000/s, repeat 2 of 5".
func (c Cell) String() string {
	switch {
	case c.Repeats > 0:
		return fmt.Sprintf("%s, repeat %d of %d", c.Title(), max(c.Repeat, 1), c.Repeats)
	case c.Repeat > 1:
		return fmt.Sprintf("%s, repeat %d", c.Title(), c.Repeat)
	}
	return c.Title()
}

// Title is String without the repeat.
func (c Cell) Title() string { return fmt.Sprintf("%s, %v", c.Target.Name, c.Shape) }

// String names the shape for people: "1 KiB at 1,000/s, 25 connections". It leaves out a single
// connection.
func (s Shape) String() string {
	parts := s.Parts()
	if s.Connections == 1 && s.Topology.Own() {
		parts[2] = ""
	}
	return Phrase(parts)
}

// Parts names the parts of a shape, in the same places for all: size, rate, connections, the limit
// in flight and arrivals. A part is "" if it has no limit, its usual value, or, for a rate, any.
func (s Shape) Parts() []string {
	rate := s.RateText()
	if n, err := strconv.ParseInt(s.Rate.Column(), 10, 64); s.Rate == 0 && s.Changes == "" {
		rate = ""
	} else if err == nil && s.Changes == "" {
		rate = words.Count(n) + "/s"
	}
	list := []string{s.sizePart(), rate, s.Clients(), "", "", s.Topology.Text(), s.MessageText(), s.StoreText()}
	if s.InFlight > 0 {
		list[3] = fmt.Sprintf("%d in flight", s.InFlight)
	}
	if s.Arrivals != "" && s.Arrivals != schedule.Constant {
		list[4] = "arrivals " + string(s.Arrivals)
	}
	return list
}

// sizePart writes a size with a space: 1 KiB, or 64 KiB (10 % of the messages) of several.
func (s Shape) sizePart() string {
	if s.Size == 0 && s.Sizes != "" {
		return s.SizeText()
	}
	if s.Files.Count > 0 {
		return fmt.Sprintf("%s of up to %s", words.Plural(s.Files.Count, "file"), words.Size(s.Size))
	}
	size := words.Size(s.Size)
	number := strings.TrimRight(size, "BKMiG")
	text := number + " " + size[len(number):]
	for _, class := range s.Sizes.Classes() {
		if class.Bytes == s.Size {
			text += " (" + strings.TrimSuffix(class.Share(), "%") + " % of the messages)"
		}
	}
	return text
}

// Phrase joins parts of a shape: "1 KiB at 1,000/s, 1 connection".
func Phrase(parts []string) string {
	list := slices.Clone(parts)
	if list[0] != "" && list[1] != "" {
		list[0], list[1] = list[0]+" at "+list[1], ""
	}
	return strings.Join(slices.DeleteFunc(list, func(p string) bool { return p == "" }), ", ")
}
