package source

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The tags of a cell's values.
const (
	Response  = "response"
	Service   = "service"
	Corrected = "corrected" // in a .hgrm, and not in the log
	Warmup    = "warmup"    // response times of the warm-up
	Hiccup    = "hiccup"
	Ack       = "ack"       // with acknowledgements: acknowledged − due
	Complete  = "complete"  // the later of acknowledged and done, − due
	Published = "published" // if the client reports it: on the socket − due
	First     = "first"     // with groups of consumers: the first group has the message − due
	Each      = "each"      // with groups of consumers: a group has it − due, one value for each group
	Outward   = "outward"   // with an echo: received by it − due
	Back      = "back"      // with an echo: done − received by it
	Echo      = "echo"      // with an echo: how long it had each message
)

// ErrTag is the error for a tag that a log does not have.
var ErrTag = errors.New("no such tag")

// ChooseTag returns one of the tags of a log: the one that was asked for; else response, else
// values without a tag, else the only one. The empty tag means no tag.
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
