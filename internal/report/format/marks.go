package format

// A Mark stands beside a number in every output. Docs/limited.md explains them.
type Mark struct{ Sign, Meaning string }

// The marks.
const (
	Limited = "~"
	AtLeast = "≥"
	Unseen  = "°"
)

// Marks lists them.
func Marks() []Mark {
	return []Mark{
		{Limited, "limited: more than the target is in the number, or too few events are above it"},
		{AtLeast, "at least: messages are missing, and rank above the longest reply"},
		{Unseen, "rare pauses, which would raise the number, are not excluded by the measured time"},
	}
}
