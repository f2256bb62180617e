package results

// TotalUsage sums up consecutive intervals into the window from the start of the
// first to the end of the last:
//
//   - cores are averaged, weighted by the length of the intervals;
//   - counts, and times that add up, are added;
//   - of maxima, and of what is read at the end of an interval, the largest counts;
//   - of the 99th percentile the largest counts too: the window's own cannot exceed
//     it. Percentiles are never averaged.
//
// What is unknown in one interval is unknown in the window. Without intervals
// TotalUsage returns the zero value.
func TotalUsage(intervals []Usage) Usage {
	if len(intervals) == 0 {
		return Usage{}
	}
	total := noUsage(intervals[0].FromNS, intervals[len(intervals)-1].ToNS)
	var length int64
	for _, u := range intervals {
		length += u.length()
	}
	for _, u := range intervals {
		// Intervals without a length weigh the same.
		weight := 1 / float64(len(intervals))
		if length > 0 {
			weight = float64(u.length()) / float64(length)
		}
		total.HiccupMaxNS = max(total.HiccupMaxNS, u.HiccupMaxNS)
		total.Process.add(u.Process, weight)
		total.Go.add(u.Go)
		if total.Machine != nil && u.Machine != nil {
			total.Machine.add(*u.Machine, weight)
		} else {
			total.Machine = nil
		}
	}
	return total
}

// noUsage returns a window in which nothing happened and everything is known.
func noUsage(from, to int64) Usage {
	return Usage{
		FromNS: from, ToNS: to,
		Process: ProcessUsage{
			ResidentBytes: new(int64), VoluntarySwitches: new(int64), InvoluntarySwitches: new(int64), RunWaitNS: new(int64),
		},
		Machine: &MachineUsage{
			RunWaitNS: new(int64), PressureCPUSomeNS: new(int64),
			NetworkReceivedBytes: new(int64), NetworkSentBytes: new(int64), ThrottledNS: new(int64), Confined: new(CPUUsage),
		},
	}
}

func (u Usage) length() int64 { return max(u.ToNS-u.FromNS, 0) }

func (p *ProcessUsage) add(q ProcessUsage, weight float64) {
	p.CPUCores += q.CPUCores * weight
	p.UserCores += q.UserCores * weight
	p.SystemCores += q.SystemCores * weight
	p.ResidentBytes = larger(p.ResidentBytes, q.ResidentBytes)
	p.VoluntarySwitches = plus(p.VoluntarySwitches, q.VoluntarySwitches)
	p.InvoluntarySwitches = plus(p.InvoluntarySwitches, q.InvoluntarySwitches)
	p.RunWaitNS = plus(p.RunWaitNS, q.RunWaitNS)
}

func (g *GoUsage) add(h GoUsage) {
	g.GCCycles += h.GCCycles
	g.GCPauseMaxNS = max(g.GCPauseMaxNS, h.GCPauseMaxNS)
	g.GCPauseTotalNS += h.GCPauseTotalNS
	g.SchedLatencyP99NS = max(g.SchedLatencyP99NS, h.SchedLatencyP99NS)
	g.SchedLatencyMaxNS = max(g.SchedLatencyMaxNS, h.SchedLatencyMaxNS)
	g.HeapBytes = max(g.HeapBytes, h.HeapBytes)
	g.Goroutines = max(g.Goroutines, h.Goroutines)
}

func (m *MachineUsage) add(n MachineUsage, weight float64) {
	m.CPUs = max(m.CPUs, n.CPUs)
	m.BusyCores += n.BusyCores * weight
	m.StealCores += n.StealCores * weight
	m.IOWaitCores += n.IOWaitCores * weight
	m.ContextSwitches += n.ContextSwitches
	m.Runnable = max(m.Runnable, n.Runnable)
	m.RunWaitNS = plus(m.RunWaitNS, n.RunWaitNS)
	m.PressureCPUSomeNS = plus(m.PressureCPUSomeNS, n.PressureCPUSomeNS)
	m.NetworkReceivedBytes = plus(m.NetworkReceivedBytes, n.NetworkReceivedBytes)
	m.NetworkSentBytes = plus(m.NetworkSentBytes, n.NetworkSentBytes)
	m.ThrottledNS = plus(m.ThrottledNS, n.ThrottledNS)
	if m.Confined == nil || n.Confined == nil {
		m.Confined = nil
		return
	}
	m.Confined.CPUs = max(m.Confined.CPUs, n.Confined.CPUs)
	m.Confined.BusyCores += n.Confined.BusyCores * weight
	m.Confined.StealCores += n.Confined.StealCores * weight
}

// plus returns the sum, unknown if one of the two is.
func plus(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	return new(*a + *b)
}

// larger returns the larger of the two, unknown if one of them is.
func larger(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	return new(max(*a, *b))
}
