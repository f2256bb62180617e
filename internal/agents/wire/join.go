package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// A Join is the file by which an agent finds its run and authenticates. Its holder can take part
// as that agent: it is passed by standard input, as a Secret, or in a file that only its owner
// reads, and never in an argument, the environment or a result.
type Join struct {
	URL     string    `json:"url"`              // of the control server
	Run     string    `json:"run"`              // the run's ID
	SHA256  string    `json:"sha256,omitempty"` // of the server's certificate, in hexadecimal; "" to go by the system's authorities
	Agent   Identity  `json:"agent"`            // whose file it is
	Expires time.Time `json:"expires"`
}

// An Identity is how a process of a run authenticates.
type Identity struct {
	Name   string `json:"name"`
	Secret string `json:"secret,omitempty"` // "" with a control server of the user's own
}

// Valid is how long a file may be used.
const Valid = 24 * time.Hour

const mostJoin = 1 << 20

// ReadJoin reads a join file, and nothing behind it: r may go on, as standard input does
// while an agent's coordinator lives. Its errors quote nothing of it.
func ReadJoin(r io.Reader) (j Join, err error) {
	if json.NewDecoder(io.LimitReader(r, mostJoin)).Decode(&j) != nil {
		return j, errors.New("the join file is not one: want the JSON that `brokerbench run --agents` wrote")
	}
	switch {
	case j.URL == "" || j.Run == "" || j.Agent.Name == "":
		return j, errors.New("the join file lacks a url, a run or an agent")
	case !j.Expires.IsZero() && time.Now().After(j.Expires):
		return j, fmt.Errorf("the join file is of run %s and was good until %s", j.Run, j.Expires.Format(time.DateTime))
	}
	return j, nil
}
