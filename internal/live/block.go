package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/results"
)

// Every is how often a Block should be redrawn.
const Every = 250 * time.Millisecond

// A Block is a View of five or six lines on a Screen.
type Block struct{ Screen *Screen }

// Begin implements View.
func (b Block) Begin(text string, _ time.Duration) { b.Screen.Draw([]string{text}) }

// Show implements View.
func (b Block) Show(at Position, now measure.Progress) {
	columns, _ := b.Screen.Size()
	b.Screen.Draw(block(at, now, columns))
}

// Fill implements View.
func (b Block) Fill(at Position, now measure.Filling) {
	columns, _ := b.Screen.Size()
	b.Screen.Draw([]string{fitting(columns, at.String()+": "+filling(now), filling(now))})
}

// Audit implements View.
func (b Block) Audit(at Position, now measure.Auditing) {
	columns, _ := b.Screen.Size()
	b.Screen.Draw([]string{
		fitting(columns, at.String()+": all messages are sent", at.String()),
		fitting(columns, "  "+audited(now), audited(now)),
		fitting(columns, "  Ctrl-C keeps the cell, and ends the audit without an answer", "Ctrl-C ends the audit"),
	})
}

// Clear implements View.
func (b Block) Clear() { b.Screen.Clear() }

// block returns the lines for a terminal with so many columns.
func block(at Position, now measure.Progress, columns int) []string {
	fits := func(forms ...string) string { return fitting(columns, forms...) }
	lag := "unknown"
	if now.Done > 0 {
		lag = words.Millis(now.LagP99) + " ms"
	}
	lines := []string{
		fits(at.String()+": "+clock(now), clock(now)+" "+at.String()),
		fits(
			fmt.Sprintf("  now %.0f/s; outstanding %d (due by now and not done); lag p99 %s%s", now.RateNow, now.Outstanding, lag, backlogLeft(now)),
			fmt.Sprintf("  %.0f/s, outstanding %d, lag p99 %s%s", now.RateNow, now.Outstanding, lag, backlogLeft(now)),
			fmt.Sprintf("%.0f/s, %d out, lag %s", now.RateNow, now.Outstanding, lag),
		),
		fits(response(now)...),
	}
	lines = append(lines, wrapped(verdict(now), columns, 2)...)
	return append(lines, fits(left(at, now)...))
}

// clock returns the time that is left of the schedule. After its end only late replies
// arrive.
func clock(now measure.Progress) string {
	if now.Elapsed >= now.Total {
		return fmt.Sprintf("waiting for late replies, %v of %v at most",
			(now.Elapsed - now.Total).Round(time.Second), now.Cell.Settings.Timeout)
	}
	what := "left"
	if now.Elapsed < now.Cell.Settings.Warmup {
		what = "left, warming up"
	}
	return fmt.Sprintf("%v of %v %s", seconds(now.Total-now.Elapsed), now.Total, what)
}

// response returns the response times so far, longest form first. Each has the
// maximum.
func response(now measure.Progress) []string {
	if now.Max == 0 {
		return []string{"  no response in the window yet", "no response yet"}
	}
	p50, p99, p999, longest := words.Millis(now.P50), words.Millis(now.P99), words.Millis(now.P999), words.Millis(now.Max)
	return []string{
		fmt.Sprintf("  %s: p50 %s  p99 %s  p99.9 %s  max %s", responses(now), p50, p99, p999, longest),
		fmt.Sprintf("  p50 %s p99 %s p99.9 %s max %s", p50, p99, p999, longest),
		fmt.Sprintf("p99 %s p99.9 %s max %s", p99, p999, longest),
		fmt.Sprintf("max %s", longest),
	}
}

// verdict returns the verdict so far and the gravest problem.
func verdict(now measure.Progress) string {
	switch {
	case now.Verdict == "":
		return "  verdict so far: none"
	case now.Verdict == results.Valid || len(now.Problems) == 0:
		return "  verdict so far: " + strings.ToUpper(string(now.Verdict))
	}
	return fmt.Sprintf("  verdict so far: %s: %s", strings.ToUpper(string(now.Verdict)), now.Problems[0].Text)
}

// left returns the number of cells and the time that are left.
func left(at Position, now measure.Progress) []string {
	took := seconds(at.left(now))
	if at.Of == 0 {
		return []string{"  the next rate depends on this one", "then open"}
	}
	if at.N == at.Of {
		return []string{fmt.Sprintf("  the last cell; %v left", took), fmt.Sprintf("%v left", took)}
	}
	more := words.Plural(at.Of-at.N, "cell")
	return []string{fmt.Sprintf("  %s after this; %v left in all", more, took), fmt.Sprintf("%s more, %v", more, took)}
}

// seconds rounds up: 0 s are left only at the end.
func seconds(d time.Duration) time.Duration {
	return (d + time.Second - time.Nanosecond).Truncate(time.Second)
}

// fitting returns the first form of a line that fits, or the last if none does.
func fitting(columns int, forms ...string) string {
	for _, form := range forms {
		if len([]rune(form)) <= columns {
			return form
		}
	}
	return forms[len(forms)-1]
}

// wrapped breaks a text at its spaces into at most so many lines. The later ones
// are indented a little more than the first. The last has all the rest, however
// long.
func wrapped(text string, columns, most int) (lines []string) {
	indent := strings.Repeat(" ", len(text)-len(strings.TrimLeft(text, " "))+2)
	for len(lines) < most-1 && len([]rune(text)) > columns {
		runes := []rune(text)
		at := strings.LastIndex(string(runes[:columns+1]), " ")
		if at <= len(indent) {
			break
		}
		lines = append(lines, text[:at])
		text = indent + text[at+1:]
	}
	return append(lines, text)
}
