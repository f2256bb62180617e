package results

// A Verdict says whether a cell's numbers can be trusted.
type Verdict string

// The verdicts, from good to bad.
const (
	Valid   Verdict = "valid"   // nothing speaks against the numbers
	Suspect Verdict = "suspect" // the numbers are right, but something besides the broker may be in them
	Invalid Verdict = "invalid" // a number that was asked for is missing or wrong
)

// rank orders verdicts from good to bad.
func (v Verdict) rank() int {
	switch v {
	case Valid:
		return 0
	case Suspect:
		return 1
	case Invalid:
	}
	return 2
}

// Worse tells whether v is worse than other.
func (v Verdict) Worse(other Verdict) bool { return v.rank() > other.rank() }

// A Problem is one reason to doubt a cell, in words and numbers.
type Problem struct {
	Code     Code    `json:"code"`
	Severity Verdict `json:"severity"` // what it makes of the cell: valid (a note), suspect, invalid
	Text     string  `json:"text"`
}

// Judge sets the cell's problems, the gravest first, and its verdict, which is
// the gravest severity.
func (c *Cell) Judge(problems []Problem) {
	c.Problems, c.Verdict = nil, Valid
	for _, severity := range []Verdict{Invalid, Suspect, Valid} {
		for _, p := range problems {
			if p.Severity == severity {
				c.Problems = append(c.Problems, p)
			}
		}
	}
	if len(c.Problems) > 0 {
		c.Verdict = c.Problems[0].Severity
	}
}
