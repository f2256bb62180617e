package schedule

import (
	"errors"
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/splitmix"
)

// Sizes are several sizes of messages with their weights, such as 256B:90%,65536B:10%: in bytes,
// the smallest first. The zero value is none: all messages have one size.
type Sizes string

// MostSizes limits the sizes of one shape, each of which has its own histograms.
const MostSizes = 8

// A SizeClass is one of several sizes.
type SizeClass struct {
	Bytes int
	PPM   int64 // of a million messages, how many have it on average
}

// Share returns the weight in per cent, such as 90%.
func (c SizeClass) Share() string {
	return strconv.FormatFloat(float64(c.PPM)/1e4, 'f', -1, 64) + "%"
}

const million = 1_000_000

// NewSizes returns the sizes of classes in any order. The error says why there are none such.
func NewSizes(classes []SizeClass) (Sizes, error) {
	classes = slices.Clone(classes)
	slices.SortFunc(classes, func(a, b SizeClass) int { return a.Bytes - b.Bytes })
	var parts []string
	for _, c := range classes {
		parts = append(parts, fmt.Sprintf("%dB:%s", c.Bytes, c.Share()))
	}
	s := Sizes(strings.Join(parts, ","))
	return s, s.Validate()
}

var sizePart = regexp.MustCompile(`^([1-9][0-9]{0,9})B:([0-9]{1,3}(?:\.[0-9]{1,4})?)%$`)

// Classes returns the sizes, the smallest first; nil if there are none, or they are invalid.
func (s Sizes) Classes() (classes []SizeClass) {
	if s == "" {
		return nil
	}
	for part := range strings.SplitSeq(string(s), ",") {
		fields := sizePart.FindStringSubmatch(part)
		if fields == nil {
			return nil
		}
		bytes, _ := strconv.Atoi(fields[1])
		ppm, err := ParseShare(fields[2])
		if err != nil {
			return nil
		}
		classes = append(classes, SizeClass{bytes, ppm})
	}
	return classes
}

// ParseShare reads a weight in per cent, without its sign, as parts of a million.
func ParseShare(percent string) (ppm int64, err error) {
	whole, part, _ := strings.Cut(percent, ".")
	ppm, err = strconv.ParseInt(whole+(part + "0000")[:max(4, len(part))], 10, 64)
	if err != nil || len(part) > 4 || ppm < 1 || ppm > million {
		return 0, errors.New("want a weight above 0 % and up to 100 %, with four decimals at most")
	}
	return ppm, nil
}

// Mean returns the mean size of a message, rounded up; one if there are not several sizes.
func (s Sizes) Mean(one int) int {
	classes, sum := s.Classes(), int64(0)
	if classes == nil {
		return one
	}
	for _, c := range classes {
		sum += int64(c.Bytes) * c.PPM
	}
	return int((sum + million - 1) / million)
}

// Validate returns why the sizes are invalid; nil also if there are none.
func (s Sizes) Validate() error {
	if s == "" {
		return nil
	}
	classes, sum := s.Classes(), int64(0)
	for i, c := range classes {
		if i > 0 && c.Bytes <= classes[i-1].Bytes {
			return fmt.Errorf("%d B is there twice, or not in order", c.Bytes)
		}
		sum += c.PPM
	}
	switch {
	case len(classes) < 2 || len(classes) > MostSizes:
		return fmt.Errorf("want 2 to %d sizes with their weights, such as 256B:90%%,64KiB:10%%", MostSizes)
	case sum != million:
		return fmt.Errorf("the weights add up to %s, not 100%%", SizeClass{PPM: sum}.Share())
	}
	return nil
}

// A Mix draws the size of each message from a seed. Every process that has the seed draws the same.
type Mix struct {
	seed    uint64
	classes []SizeClass
}

// Mix returns what draws the sizes, which are valid; nil if there are none.
func (s Sizes) Mix(seed uint64) *Mix {
	classes := s.Classes()
	if classes == nil {
		return nil
	}
	return &Mix{seed: seed, classes: classes}
}

// Class returns the size class of message seq of a connection, counted over all machines.
func (m *Mix) Class(conn uint32, seq uint64) int {
	x := splitmix.Mix(splitmix.Mix(m.seed+uint64(conn)*0xd1342543de82ef95) + seq*0x9e3779b97f4a7c15)
	drawn, _ := bits.Mul64(x, million)
	class := 0
	for left := int64(drawn) - m.classes[0].PPM; left >= 0; left -= m.classes[class].PPM {
		class++
	}
	return class
}

// Bytes returns the size of message seq of a connection.
func (m *Mix) Bytes(conn uint32, seq uint64) int { return m.classes[m.Class(conn, seq)].Bytes }

// Len returns how many sizes there are; 0 of nil.
func (m *Mix) Len() int {
	if m == nil {
		return 0
	}
	return len(m.classes)
}

// Count counts the messages from one sequence up to another, without it, by size class.
func (m *Mix) Count(conn uint32, from, to uint64) []int64 {
	counts := make([]int64, len(m.classes))
	for seq := from; seq < to; seq++ {
		counts[m.Class(conn, seq)]++
	}
	return counts
}
