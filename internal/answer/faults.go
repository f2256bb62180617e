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
	for _, f := range results.FaultsOf(repeats) {
		text := target + ", " + f.Name
		if f.Made == 0 {
			sentences = append(sentences, text+": not made.")
			continue
		}
		sentences = append(sentences, fmt.Sprintf("%s: %s%s%s.", text, outage("acknowledgements", f.Acks), outage("deliveries", f.Deliveries), ackedLost(f)))
	}
	return sentences
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

// ackedLost writes how many acknowledged messages are lost.
func ackedLost(f results.FaultSummary) string {
	switch {
	case f.AckedLost == nil:
		return fmt.Sprintf("%s of %s messages missing", words.Count(f.Due-f.Done), words.Count(f.Due))
	case f.OneOf > 0:
		return fmt.Sprintf("at most %s lost", words.Plural(int(*f.AckedLost), "acknowledged message"))
	}
	return words.Plural(int(*f.AckedLost), "acknowledged message") + " lost"
}
