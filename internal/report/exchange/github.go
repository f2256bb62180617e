package exchange

import (
	"io"
	"strings"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// maxLines bounds a summary: a reader of a job sees the summaries of all its steps.
const maxLines = 60

// summary writes a document as Markdown of 60 lines at most, below a headline if there is one.
func summary(w io.Writer, headline string, d *document.Document) error {
	var b strings.Builder
	if headline != "" {
		b.WriteString("### " + document.Escape(words.Plain(headline)) + "\n\n")
	}
	if err := d.Write(&b, document.Markdown); err != nil {
		return err
	}
	_, err := io.WriteString(w, shortened(b.String()))
	return err
}

// shortened cuts Markdown to maxLines, and closes the block that it cuts.
func shortened(text string) string {
	lines := strings.SplitAfter(text, "\n")
	if strings.Count(text, "\n") <= maxLines {
		return text
	}
	const room = 4 // for the ends below
	text = strings.Join(lines[:maxLines-room], "")
	if strings.Count(text, "```")%2 == 1 {
		text += "```\n"
	}
	if strings.Count(text, "<details>") > strings.Count(text, "</details>") {
		text += "</details>\n"
	}
	return text + "\n*More lines are in `--format md`.*\n"
}

// headline says how many cells have each verdict, and what became of the objectives.
func headline(r Run, a *answer.Answer) string {
	verdicts, missing := make(map[results.Verdict]int), 0
	for _, e := range r.Cells {
		if verdicts[e.Verdict]++; e.Verdict == "" {
			missing++
		}
	}
	outcomes, counts := answer.Outcomes(r.Measured, r.Repeated), make(map[results.Outcome]int)
	for _, l := range all(a) {
		for _, o := range outcomes[l.Cells[0]] {
			counts[o.Outcome]++
		}
	}
	text := "brokerbench " + r.Name + ": " + words.Plural(len(r.Cells), "cell")
	if tally := format.Tally(verdicts, results.Invalid, results.Suspect, results.Valid); tally != "" {
		text += ", " + strings.NewReplacer("invalid", "INVALID", "suspect", "SUSPECT").Replace(tally)
	}
	if missing > 0 {
		text += ", " + format.Tally(map[string]int{"not measured": missing}, "not measured")
	}
	if tally := format.Tally(counts, results.Missed, results.Inconclusive, results.Passed); tally != "" {
		text += "; objectives: " + strings.Replace(tally, string(results.Inconclusive), "not decided", 1)
	}
	return text
}
