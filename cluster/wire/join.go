package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// A Join is the file by which agents find a run and prove who they are. Whoever has it can
// take part: it is given by standard input, as a Secret, or in a file that only its owner
// reads, and is in no argument, environment or result.
type Join struct {
	URL     string     `json:"url"`              // of the control server
	Run     string     `json:"run"`              // the run's ID
	SHA256  string     `json:"sha256,omitempty"` // of the server's certificate, in hexadecimal; "" to go by the system's authorities
	Agents  []Identity `json:"agents"`           // those that may use this file: each process is one
	Expires time.Time  `json:"expires"`
}

// An Identity is one agent's.
type Identity struct {
	Name string `json:"name"`
	Seed string `json:"seed,omitempty"` // of its nkey; "" with a control server that knows no such users
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
	case j.URL == "" || j.Run == "" || len(j.Agents) == 0:
		return j, errors.New("the join file lacks a url, a run or agents")
	case !j.Expires.IsZero() && time.Now().After(j.Expires):
		return j, fmt.Errorf("the join file is of run %s and was good until %s", j.Run, j.Expires.Format(time.DateTime))
	}
	return j, nil
}

// Pick returns the file of one agent: the n-th, counted from 0.
func (j Join) Pick(n int) (Join, error) {
	if n < 0 || n >= len(j.Agents) {
		return j, fmt.Errorf("--index %d: the join file has agents 0 to %d", n, len(j.Agents)-1)
	}
	j.Agents = j.Agents[n : n+1]
	return j, nil
}
