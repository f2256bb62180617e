package merge

import (
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/results"
)

// audits adds up what the agents' audits found; nil if no agent audited.
func audits(parts []Part) *results.Audit {
	if !slices.ContainsFunc(parts, func(p Part) bool { return p.Cell != nil && p.Cell.Audit != nil }) {
		return nil
	}
	var sum results.Audit
	for _, p := range parts {
		switch {
		case p.Cell == nil:
			sum.Error = join(sum.Error, fmt.Sprintf("agent %s was lost, and its acknowledgements are unknown", p.Name))
		case p.Cell.Audit == nil:
			sum.Error = join(sum.Error, "agent "+p.Name+" did not audit")
		default:
			addAudit(&sum, *p.Cell.Audit, p, len(parts))
		}
	}
	return &sum
}

// addAudit adds the audit of an agent, which counts its own connections from 0.
func addAudit(sum *results.Audit, a results.Audit, p Part, of int) {
	whole := func(id results.MessageID) results.MessageID {
		return results.MessageID{Conn: p.Index + id.Conn*of, Seq: id.Seq}
	}
	sum.Acked, sum.Kept, sum.Missing, sum.Delivered, sum.Discarded = sum.Acked+a.Acked, sum.Kept+a.Kept, sum.Missing+a.Missing, sum.Delivered+a.Delivered, sum.Discarded+a.Discarded
	sum.Unacked, sum.Duplicates, sum.Read = sum.Unacked+a.Unacked, sum.Duplicates+a.Duplicates, sum.Read+a.Read
	sum.Taken, sum.Gone, sum.TookNS = sum.Taken || a.Taken, sum.Gone || a.Gone, max(sum.TookNS, a.TookNS)
	if a.Error != "" {
		sum.Error = join(sum.Error, "agent "+p.Name+": "+a.Error)
	}
	if a.First != nil {
		first, last := whole(*a.First), whole(*a.Last)
		if sum.First == nil || earlier(first, *sum.First) {
			sum.First = &first
		}
		if sum.Last == nil || earlier(*sum.Last, last) {
			sum.Last = &last
		}
	}
	for _, id := range a.Some {
		if len(sum.Some) < mostMissing {
			sum.Some = append(sum.Some, whole(id))
		}
	}
}

// mostMissing is how many missing messages a result names.
const mostMissing = 100

func earlier(a, b results.MessageID) bool {
	return a.Conn < b.Conn || a.Conn == b.Conn && a.Seq < b.Seq
}

// join joins two reasons; the first may be empty.
func join(before, more string) string {
	if before == "" {
		return more
	}
	return before + "; " + more
}
