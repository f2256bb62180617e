package source

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The tags of what a cell holds.
const (
	Response  = "response"
	Service   = "service"
	Corrected = "corrected" // has a .hgrm, and is not in the log
	Warmup    = "warmup"    // response times of the warm-up
	Hiccup    = "hiccup"
	Ack       = "ack"       // of a target that acknowledges: acknowledged − due
	Complete  = "complete"  // the later of acknowledged and done, − due
	Published = "published" // of a client that tells: on the socket − due
	Outward   = "outward"   // with an echo: received by it − due
	Back      = "back"      // with an echo: done − received by it
	Echo      = "echo"      // with an echo: how long it had each message
)

// ErrTag is the error of a tag that a log does not have.
var ErrTag = errors.New("no such tag")

// ChooseTag returns the tag to use of those that a log has: the one that was
// asked for; else response, else what has no tag, else the only one. The empty
// tag is none.
func ChooseTag(asked string, have []string) (string, error) {
	switch {
	case asked != "" && slices.Contains(have, asked):
		return asked, nil
	case asked != "":
		return "", fmt.Errorf("%w as %q: it has %s (choose one with --tag)", ErrTag, asked, list(have))
	case slices.Contains(have, Response):
		return Response, nil
	case slices.Contains(have, ""):
		return "", nil
	case len(have) == 1:
		return have[0], nil
	}
	return "", fmt.Errorf("%w as %q, nor intervals without a tag: it has %s (choose one with --tag)", ErrTag, Response, list(have))
}

func list(tags []string) string {
	if len(tags) == 0 {
		return "no interval"
	}
	return strings.Join(slices.Sorted(slices.Values(tags)), ", ")
}
