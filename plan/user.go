package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A User needs several messages: one after the other on a connection, as a trade does, or all at about the
// same time over all connections, as a page does. [ParseUser] makes one; the zero value is none.
type User struct {
	Messages int  // how many
	Parallel bool // they are due at about the same time; false: in sequence
}

// MostUsers is how many kinds of users a cell may have.
const MostUsers = 8

// mostOfUser is the most messages that a user may need.
const mostOfUser = 1_000_000

// userParts are the number and the order.
var userParts = regexp.MustCompile(`^([0-9]+)(?: *in +(sequence|parallel))?$`)

// ParseUser reads a user: 50 in sequence, which is the same as 50, or 200 in parallel.
func ParseUser(text string) (User, error) {
	parts := userParts.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return User{}, fmt.Errorf("user %q: want a number of messages and their order, such as 50 in sequence or 200 in parallel", text)
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil || n < 1 || n > mostOfUser {
		return User{}, fmt.Errorf("user %q: want 1 to %d messages", text, mostOfUser)
	}
	return User{n, parts[2] == "parallel"}, nil
}

// String writes what ParseUser reads.
func (u User) String() string {
	if u.Parallel {
		return fmt.Sprintf("%d in parallel", u.Messages)
	}
	return fmt.Sprintf("%d in sequence", u.Messages)
}

// MarshalText implements encoding.TextMarshaler.
func (u User) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler with ParseUser.
func (u *User) UnmarshalText(text []byte) (err error) {
	*u, err = ParseUser(string(text))
	return err
}

// Series returns the name of the series that an objective limits: the longest times of users, or the sums.
func (u User) Series(sum bool) string {
	name := fmt.Sprintf("user(%d)", u.Messages)
	if u.Parallel {
		name = fmt.Sprintf("user(%v)", u)
	}
	if sum {
		name += sumOfUser
	}
	return name
}

const sumOfUser = ".sum"

// UserOf returns the user that a series of an objective is of; ok is false if it is of messages.
func UserOf(series string) (u User, sum, ok bool) {
	text, ok := strings.CutPrefix(series, "user(")
	text, sum = strings.CutSuffix(text, sumOfUser)
	text, closed := strings.CutSuffix(text, ")")
	u, err := ParseUser(text)
	return u, sum, ok && closed && err == nil
}

// Users returns the users of the cell: those of its settings, and those that its objectives limit.
func (c Cell) Users() []User { return c.Settings.withUsers(c.SLOs) }

func (s Settings) withUsers(objectives []Objective) (list []User) {
	for _, u := range s.Users {
		if !slices.Contains(list, u) {
			list = append(list, u)
		}
	}
	for _, o := range objectives {
		if u, _, ok := UserOf(o.Series); ok && !slices.Contains(list, u) {
			list = append(list, u)
		}
	}
	return list
}

// checkUsers reports users that cells of a shape cannot have.
func (p Plan) checkUsers(s Shape) (err error) {
	var objectives []Objective
	for _, o := range p.SLOs {
		if o.Shape == nil || *o.Shape == s {
			objectives = append(objectives, o.Objective)
		}
	}
	list := p.Settings.withUsers(objectives)
	if len(list) > MostUsers {
		return fmt.Errorf("%d kinds of users are more than %d", len(list), MostUsers)
	}
	if len(list) > 0 && s.Changes != "" {
		return fmt.Errorf("users and a rate that changes cannot be combined yet: leave out user %q, or name one rate", list[0])
	}
	for _, u := range list {
		if err == nil {
			err = u.check(s, p.Settings.Duration)
		}
	}
	return err
}

// check reports a user that a window of a shape does not have.
func (u User) check(s Shape, window time.Duration) error {
	due, of := float64(s.Rate)*window.Seconds(), "the window"
	if !u.Parallel {
		due, of = due/float64(max(s.Connections, 1)), "a connection in the window"
	}
	switch {
	case u.Parallel && s.Connections > 1 && !s.Arrivals.Even() && !s.Arrivals.InBursts():
		return fmt.Errorf("user %q: random arrivals on several connections have no common order: choose constant arrivals, bursts, or one connection", u)
	case float64(u.Messages) > due:
		return fmt.Errorf("user %q: %d messages of %s are too few: measure for longer, or at a higher rate", u, int(due), of)
	}
	return nil
}
