package measure

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/results"
)

// blameOverload says whose limit it is that a cell fell behind its rate all the
// time. It is sure of an overload that makes the cell invalid.
func blameOverload(c *results.Cell) Fault {
	if why := senderFails(c); why != "" {
		return Fault{Culprit: Client, Reason: why}
	}
	p, _ := c.Problem(results.CodeRate)
	return Fault{
		Culprit: Target, Sure: p.Severity == results.Invalid,
		Reason: withoutCores(c, fmt.Sprintf("reached %.0f/s", c.ReachedPerS)),
	}
}

// senderFails says why it was the sender that did not reach the rate: messages
// that were due waited for it, and what it sent was answered soon. A target that
// takes no more messages holds up the sender, too. But then what is in the
// target's buffers takes long, and the sender, which waits, uses no core.
func senderFails(c *results.Cell) string {
	order, lag := lagOrder(c, 50)
	service, answered := value(c.Service, 50)
	if order < 0 || !answered || float64(service) > answeredSoon*float64(lag) {
		return ""
	}
	senders := max(c.Plan.Settings.Senders, 1)
	if c.Usage != nil && c.Usage.Process.CPUCores < processBusy*float64(senders) {
		return ""
	}
	return fmt.Sprintf("the generator sent late, reached %.0f/s: lag p50 is %s, service p50 %s",
		c.ReachedPerS, words.Duration(lag), words.Duration(service))
}

// withoutCores adds to a reason that the machine had no core to spare: what else
// runs on it, such as the target, is then part of the answer.
func withoutCores(c *results.Cell, reason string) string {
	p, found := c.Problem(results.CodeMachineCPU)
	switch {
	case !found:
		return reason
	case reason == "":
		return p.Text
	}
	return reason + "; " + p.Text
}
