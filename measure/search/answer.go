package search

// An Answer is what a probe says about an objective.
type Answer string

// The answers. All but Kept are a rate that is not kept; they differ in whose
// limit that is.
const (
	Kept    Answer = "kept"
	Missed  Answer = "missed"  // the target's
	Client  Answer = "client"  // this client's: a better one might show that the target does keep it
	Unclear Answer = "unclear" // not known
)

// A Judgement is an answer and its reason.
type Judgement struct {
	Answer   Answer `json:"answer"`
	Sure     bool   `json:"sure"`             // a repeat would not say anything else
	Measured string `json:"measured"`         // the value that the objective limits
	Reason   string `json:"reason,omitempty"` // why it is not simply kept or missed
}

// probesAtMost is how often a point is measured.
const probesAtMost = 3

// decide folds the answers of probes at the same point into one, in the order in
// which they were measured: the first decides if it is kept or sure, else two that
// are the same. Three that differ are unclear. ok is false if it takes another
// probe.
func decide(answers []Judgement) (a Answer, ok bool) {
	count := make(map[Answer]int)
	for i, j := range answers {
		count[j.Answer]++
		if j.Sure || count[j.Answer] == 2 || i == 0 && j.Answer == Kept {
			return j.Answer, true
		}
	}
	if len(answers) >= probesAtMost {
		return Unclear, true
	}
	return "", false
}
