package schedule

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/splitmix"
)

// Keys say how the keys of messages are drawn. The zero value is none. It is comparable.
type Keys struct {
	Count   int     `json:"count"`
	Zipf    float64 `json:"zipf,omitempty"`     // exponent s: key i, from 0, has a weight of (i+1)^−s; 0: all are equally likely
	NullPPM int64   `json:"null_ppm,omitempty"` // of a million messages, how many have no key
}

// Limits of keys. The table of a million takes 12 MB.
const (
	mostKeys = 1_000_000
	mostZipf = 10
)

// keysPart is a part of keys: how many, their skew or the share of messages without one, as flags and, with the
// name of each, as mappings of plan files write it.
var keysPart = regexp.MustCompile(`^(?:(?:count:)?([0-9]{1,7})|(?:skew:)?zipf\(([0-9]{1,2}(?:\.[0-9]{1,3})?)\)|null[=:]([0-9]{1,3}(?:\.[0-9]{1,4})?)%)$`)

// ParseKeys reads keys: 10000 zipf(1.1) null=10%, or none.
func ParseKeys(text string) (k Keys, err error) {
	if text == "none" {
		return k, nil
	}
	for part := range strings.FieldsFuncSeq(strings.ReplaceAll(text, " %", "%"), func(r rune) bool { return r == ' ' || r == ',' }) {
		fields := keysPart.FindStringSubmatch(part)
		switch {
		case fields == nil:
			return k, fmt.Errorf("%.40q: want a number of keys, their skew and the share of messages without one, such as 10000 zipf(1.1) null=10%%", part)
		case fields[1] != "":
			k.Count, _ = strconv.Atoi(fields[1])
		case fields[2] != "":
			k.Zipf, _ = strconv.ParseFloat(fields[2], 64)
		default:
			if k.NullPPM, err = ParseShare(fields[3]); err != nil {
				return k, fmt.Errorf("null: %w", err)
			}
		}
	}
	if k.Count == 0 {
		return k, errors.New("want one key at least, or none")
	}
	return k, k.Validate()
}

// Validate returns why there are no such keys; nil also for none.
func (k Keys) Validate() error {
	switch {
	case k.Count < 0 || k.Count > mostKeys:
		return fmt.Errorf("%d keys is not between 1 and %d", k.Count, mostKeys)
	case !(k.Zipf >= 0 && k.Zipf <= mostZipf):
		return fmt.Errorf("zipf(%v) is not between 0 and %d", k.Zipf, mostZipf)
	case k.NullPPM < 0 || k.NullPPM >= million:
		return errors.New("null is not below 100 %: leave the keys out")
	}
	return nil
}

// String returns the keys as flags write them; "none" for the zero value.
func (k Keys) String() string {
	if k.Count == 0 {
		return "none"
	}
	text := strconv.Itoa(k.Count)
	if k.Zipf > 0 {
		text += fmt.Sprintf(" zipf(%v)", k.Zipf)
	}
	if k.NullPPM > 0 {
		text += " null=" + SizeClass{PPM: k.NullPPM}.Share()
	}
	return text
}

// Probability returns how likely key i, counted from 0, is among messages with a key.
func (k Keys) Probability(i int) float64 {
	sum := 0.0
	for j := k.Count; j > 0; j-- { // the smallest first: the sum is exact to the last digits
		sum += math.Pow(float64(j), -k.Zipf)
	}
	return math.Pow(float64(i+1), -k.Zipf) / sum
}

// A Deal draws the key of each message from a seed. Every process that has the seed draws the same.
type Deal struct {
	keys Keys
	seed uint64
	// The tables of Walker's alias method: column i is key i up to the threshold, and alias[i] from there.
	// Empty if all keys are equally likely.
	threshold []uint64
	alias     []uint32
}

// Deal returns what draws keys, which are valid; nil if there are none.
func (k Keys) Deal(seed uint64) *Deal {
	if k.Count == 0 {
		return nil
	}
	d := &Deal{keys: k, seed: seed ^ 0x6b657973}
	if k.Zipf > 0 {
		d.fill()
	}
	return d
}

// fill makes the tables (Vose: A Linear Algorithm for Generating Random Numbers with a Given
// Distribution, 1991).
func (d *Deal) fill() {
	n := d.keys.Count
	d.threshold, d.alias = make([]uint64, n), make([]uint32, n)
	weight, sum := make([]float64, n), 0.0
	for i := n - 1; i >= 0; i-- {
		weight[i] = math.Pow(float64(i+1), -d.keys.Zipf)
		sum += weight[i]
	}
	var small, large []int
	for i := range weight {
		weight[i] *= float64(n) / sum // 1 on average
		if weight[i] < 1 {
			small = append(small, i)
		} else {
			large = append(large, i)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		d.threshold[s], d.alias[s] = uint64(weight[s]*(1<<63))<<1, uint32(l)
		if weight[l] -= 1 - weight[s]; weight[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, i := range append(small, large...) { // they are 1, but for rounding
		d.threshold[i], d.alias[i] = math.MaxUint64, uint32(i)
	}
}

// Key returns the key of message seq of a connection, counted over all machines; -1 if it has none. It
// allocates nothing.
func (d *Deal) Key(conn uint32, seq uint64) int {
	x := splitmix.Mix(splitmix.Mix(d.seed+uint64(conn)*0xd1342543de82ef95) + seq*0x9e3779b97f4a7c15)
	if drawn, _ := bits.Mul64(x, million); int64(drawn) < d.keys.NullPPM {
		return -1
	}
	column, rest := bits.Mul64(splitmix.Mix(x+0x9e3779b97f4a7c15), uint64(d.keys.Count))
	if d.threshold == nil || rest < d.threshold[column] {
		return int(column)
	}
	return int(d.alias[column])
}

// Len returns how many keys there are; 0 of nil.
func (d *Deal) Len() int {
	if d == nil {
		return 0
	}
	return d.keys.Count
}
