package comparison

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/report/format"
)

// conditionLines lists the results of a condition of --fail-on: the pairs that failed, those that
// are not decided and those that passed, with their intervals.
func conditionLines(o compare.Outcome) (lines []string) {
	for _, part := range []struct {
		text   string
		result compare.Result
	}{{"FAILED", compare.Failed}, {"NOT DECIDED", compare.NotDecided}, {"passed", compare.Passed}} {
		var list []string
		for _, g := range o.Gates {
			if g.Result == part.result {
				list = append(list, gate(o, g))
			}
		}
		if list != nil {
			lines = append(lines, fmt.Sprintf("fail on %s: %s: %s", o.Condition, part.text, strings.Join(list, "; ")))
		}
	}
	return lines
}

// gate names the cells of a gate, with its value and interval, and why it is not decided.
func gate(o compare.Outcome, g compare.Gate) string {
	list := slices.DeleteFunc([]string{gateInterval(o.Condition, g), g.Reason, g.Unseen}, func(text string) bool { return text == "" })
	if len(list) == 0 {
		list = []string{format.Nothing}
	}
	return g.ID + " (" + strings.Join(list, "; ") + ")"
}

// gateInterval writes a value and its bounds; "" if they exclude nothing.
func gateInterval(condition string, g compare.Gate) string {
	write := format.Factor
	switch {
	case strings.HasSuffix(condition, "/min"):
		write = func(v float64) string { return signed(v) + "/min" }
	case strings.HasPrefix(condition, string(compare.OfLoss)):
		write = func(v float64) string { return signed(100*v) + " %" }
	default:
		if text := interval(compare.Row{Low: g.Low, High: g.High, Level: 1}); text == format.Nothing {
			return ""
		}
	}
	switch {
	case g.Level == 0:
		return ""
	case g.High == nil:
		return "above " + write(*g.Low)
	}
	return fmt.Sprintf("%s, %s to %s", write(*g.Value), write(*g.Low), write(*g.High))
}

// signed writes a difference with three digits.
func signed(v float64) string {
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if math.Abs(v) >= 1000 || v != 0 && math.Abs(v) < 1e-4 {
		text = strconv.FormatFloat(v, 'f', 4, 64)
	}
	if v > 0 {
		return "+" + text
	}
	return text
}
