package answer

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/results"
)

// faultSentences writes for each fault of a target's repeats how long nothing came, and which
// acknowledged messages are lost.
func faultSentences(target string, repeats []*results.Cell) (sentences []string) {
	switch repeats[0].OfSize {
	case 0:
	case 1:
		target += ", all sizes"
	default:
		return nil // said with the first size
	}
	for i, f := range results.FaultsOf(repeats) {
		text := target + ", " + f.Name
		if f.Made == 0 {
			sentences = append(sentences, text+": not made.")
			continue
		}
		sentences = append(sentences, fmt.Sprintf("%s: %s%s%s%s.", text, late(repeats, i), outage("acknowledgements", f.Acks), outage("deliveries", f.Deliveries), ackedLost(f)))
	}
	return sentences
}

// leastLate is the least delay of a fault that is reported.
const leastLate = 100 * time.Millisecond

// late says that a fault began later than planned, in the repeat in which it did so the most; "" if in none.
func late(repeats []*results.Cell, i int) string {
	most := time.Duration(0)
	for _, c := range repeats {
		if i < len(c.Faults) && c.Faults[i].Done() {
			f := c.Faults[i]
			most = max(most, time.Duration(f.BeganNS)-c.Plan.Settings.Warmup-f.Plan.At)
		}
	}
	switch {
	case most < leastLate:
		return ""
	case len(repeats) > 1:
		return fmt.Sprintf("began up to %s late, ", words.About(most))
	}
	return fmt.Sprintf("began %s late, ", words.About(most))
}

// outage writes how long something did not come; "" if that is not known.
func outage(of string, s *results.Spell) string {
	if s == nil {
		return ""
	}
	least, most := words.About(time.Duration(s.MinNS)), words.About(time.Duration(s.MaxNS))
	switch {
	case s.None == s.Repeats:
		return fmt.Sprintf("no outage of %s above %s, ", of, words.Duration(time.Duration(s.MaxNS)))
	case s.Open > 0:
		return fmt.Sprintf("no %s for more than %s, ", of, most)
	case least != most:
		return fmt.Sprintf("no %s for %s to %s, ", of, least, most)
	}
	return fmt.Sprintf("no %s for %s, ", of, most)
}

// ackedLost writes how many messages are missing, and how many acknowledged ones are lost.
func ackedLost(f results.FaultSummary) string {
	if f.Due == 0 && f.AckedLost == nil {
		return "its effect cannot be told: it overlaps the next fault, or no message was due after it"
	}
	missing := fmt.Sprintf("%s of %s messages due from then on are missing", words.Count(f.Due-f.Done), words.Count(f.Due))
	if f.Failed > 0 && f.Lost > 0 {
		missing += fmt.Sprintf(" (%s failed, %s lost)", words.Count(f.Failed), words.Count(f.Lost))
	}
	if f.AckedLost == nil {
		return missing
	}
	lost := words.Plural(int(*f.AckedLost), "acknowledged message") + " lost"
	if f.OneOf > 0 {
		lost = "at most " + lost
	}
	if f.Due > f.Done {
		lost = missing + ", " + lost
	}
	return lost
}
