package answer

import (
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// title describes a shape.
func title(s plan.Shape) string {
	rate := s.Rate.Column()
	if !strings.Contains(rate, "/") { // 6/m has its unit
		rate += "/s"
	}
	text := fmt.Sprintf("%s at %s over %s", words.Size(s.Size), rate, words.Plural(s.Connections, "connection"))
	if s.InFlight > 0 {
		text += fmt.Sprintf(", %d in flight", s.InFlight)
	}
	if s.Arrivals != schedule.Constant {
		text += ", arrivals " + string(s.Arrivals)
	}
	return text
}
