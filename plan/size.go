package plan

import (
	"errors"
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

// BySize returns the shape, or for several sizes a shape for each, the smallest first: the messages
// of one of its sizes.
func (s Shape) BySize() []Shape {
	if s.Size != 0 || s.Sizes == "" {
		return []Shape{s}
	}
	var list []Shape
	for _, class := range s.Sizes.Classes() {
		s.Size = class.Bytes
		list = append(list, s)
	}
	return list
}

// OneSize returns an error if a shape has several sizes; what names the command that takes none.
func (p Plan) OneSize(what string) error {
	for _, s := range p.Shapes {
		if s.Sizes != "" {
			return fmt.Errorf("%s measures one size at a time, and not %s: each of several sizes has its own percentiles", what, s.SizeText())
		}
	}
	return nil
}

// Smallest returns the size of the smallest message.
func (s Shape) Smallest() int { return s.BySize()[0].Size }

// Largest returns the size of the largest message.
func (s Shape) Largest() int {
	all := s.BySize()
	return all[len(all)-1].Size
}

// SizeText returns the size for people: 1KiB, or 256B:90%,64KiB:10% of several; one of several is
// 64KiB (10%), and of files ≤12KiB.
func (s Shape) SizeText() string {
	if s.Files.Count > 0 {
		return "≤" + words.Size(s.Size)
	}
	if s.Sizes == "" {
		return words.Size(s.Size)
	}
	var all []string
	for _, class := range s.Sizes.Classes() {
		if class.Bytes == s.Size {
			return fmt.Sprintf("%s (%s)", words.Size(s.Size), class.Share())
		}
		all = append(all, words.Size(class.Bytes)+":"+class.Share())
	}
	return strings.Join(all, ",")
}

// sizeID returns the size as folders name it: 1024B, 256Bx90-65536Bx10, or
// 65536B-of-256Bx90-65536Bx10.
func (s Shape) sizeID() string {
	mix := strings.NewReplacer(":", "x", "%", "", ",", "-").Replace(string(s.Sizes))
	switch {
	case s.Sizes == "":
		return fmt.Sprintf("%dB", s.Size)
	case s.Size == 0:
		return mix
	}
	return fmt.Sprintf("%dB-of-%s", s.Size, mix)
}

// validateSize returns every mistake in the sizes at once.
func (s Shape) validateSize() error {
	if err := s.Sizes.Validate(); err != nil {
		return fmt.Errorf("size %s: %w", s.Sizes, err)
	}
	least, most := s.Smallest(), s.Largest()
	return errors.Join(
		wrong(least < MinSize, "size %d B is below the %d B a stamp needs", least, MinSize),
		wrong(most > maxSize, "size %d B is above %d B", most, maxSize),
	)
}
