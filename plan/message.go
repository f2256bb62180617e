package plan

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

// Headers are what each message carries beside its content, besides what brokerbench needs. The zero
// value is none.
type Headers struct {
	Count int `json:"count"`
	Bytes int `json:"bytes"` // of the value of each
}

// Limits of headers, far above what brokers take.
const (
	maxHeaders     = 1000
	maxHeaderBytes = 64 << 10
)

// headersText is how flags write headers, and how a plan file's mapping is read.
var headersText = regexp.MustCompile(`^(?:count:)?([0-9]{1,6})(?:x|,bytes:)([0-9]{1,6})$`)

// NoHeaders is how a user writes that there are no headers.
const NoHeaders = "none"

// ParseHeaders reads headers: 8x32, or count:8,bytes:32.
func ParseHeaders(text string) (h Headers, err error) {
	if text == NoHeaders {
		return h, nil
	}
	if bytes, count, ok := strings.Cut(text, ",count:"); ok {
		text = "count:" + count + "," + bytes
	}
	fields := headersText.FindStringSubmatch(text)
	if fields == nil {
		return h, errors.New("want the number of headers and the bytes of each, such as 8x32")
	}
	h.Count, _ = strconv.Atoi(fields[1])
	h.Bytes, _ = strconv.Atoi(fields[2])
	if h.Count == 0 {
		return h, errors.New("want one header at least, or none")
	}
	return h, h.validate()
}

func (h Headers) validate() error {
	return errors.Join(
		wrong(h.Count < 0 || h.Count > maxHeaders, "%d headers is not between 0 and %d", h.Count, maxHeaders),
		wrong(h.Bytes < 0 || h.Count > 0 && h.Bytes == 0 || h.Bytes > maxHeaderBytes, "headers of %d B are not between 1 and %d", h.Bytes, maxHeaderBytes),
	)
}

// Text returns the headers for people, such as "8 headers of 32 B"; "" for none.
func (h Headers) Text() string {
	if h.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %d B", words.Plural(h.Count, "header"), h.Bytes)
}

// MessageText returns for people how the messages of a shape differ from random bytes alone; "" if they do
// not.
func (s Shape) MessageText() string {
	var list []string
	if s.Payload != "" {
		list = append(list, string(s.Payload))
	}
	if s.Headers.Count > 0 {
		list = append(list, s.Headers.Text())
	}
	if s.Keys.Count > 0 {
		list = append(list, "keys "+s.Keys.String())
	}
	return strings.Join(list, ", ")
}

// messageID returns the same as folders name it.
func (s Shape) messageID() (text string) {
	switch {
	case s.Files.Count > 0:
		name := FileName(filepath.Base(s.Payload.Dir()))
		text = fmt.Sprintf("-%s-%.8s", name[:min(len(name), 24)], s.Files.SHA256)
	case s.Payload != "":
		text = "-" + strings.NewReplacer("(", "", ")", "").Replace(string(s.Payload))
	}
	if s.Headers.Count > 0 {
		text += fmt.Sprintf("-h%dx%d", s.Headers.Count, s.Headers.Bytes)
	}
	if s.Keys.Count > 0 {
		text += "-k" + strings.NewReplacer(" ", "-", "(", "", ")", "", "=", "", "%", "").Replace(s.Keys.String())
	}
	return text
}

// mostOrders bounds the memory in which the order of messages with each key is checked: 256 MiB.
const mostOrders = 32 << 20

// checkMessage returns why the content of messages and their headers do not go with the settings.
func (p Plan) checkMessage(s Shape) error {
	return errors.Join(
		wrong(s.Files.Count > 0 && s.Sizes != "", "payload %s: the sizes are those of the files: leave out the size", s.Payload),
		wrong(s.MessageText() != "" && p.Settings.Echo != "", "%s and an echo cannot be combined yet: the echo does not know them", s.MessageText()),
		wrong(s.Keys.Count*s.Connections*max(s.Topology.Consumers(), 1) > mostOrders,
			"%d keys on %s and %s are more than %d orders to check: take fewer keys", s.Keys.Count, s.Clients(), words.Plural(max(s.Topology.Consumers(), 1), "consumer"), mostOrders),
	)
}
