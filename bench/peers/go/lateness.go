package main

import (
	"sync"
	"syscall"
	"time"
)

// workload/lateness.h: ops is the span of a segment in ns.
type lateness struct {
	spec    *spec
	segment uint64
	lock    sync.Mutex
	times   []int64
	early   int
	wakeups int64
	cpu     float64
}

func openLateness(s *spec) player { return &lateness{spec: s} }

func (l *lateness) offsets() []int64 {
	numbers := random(mix(l.spec.seed + l.segment*0x9e3779b97f4a7c15))
	offsets := make([]int64, l.spec.timers)
	for i := range offsets {
		offsets[i] = numbers.between(0, int64(l.spec.ops))
	}
	sortTimes(offsets)
	l.segment++
	return offsets
}

func (l *lateness) fired(deadline int64) {
	late := clock() - deadline
	l.lock.Lock()
	defer l.lock.Unlock()
	if late < 0 {
		l.early++
		late = 0
	}
	l.times = append(l.times, late)
}

func usage() (wakeups int64, cpu float64) {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Nvcsw, float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func (l *lateness) mean() []row {
	var all sync.WaitGroup
	offsets := l.offsets()
	wakeups, cpu := usage()
	zero := clock() + int64(2*time.Millisecond)
	all.Add(len(offsets))
	for _, offset := range offsets {
		deadline := zero + offset
		time.AfterFunc(time.Duration(deadline-clock()), func() {
			l.fired(deadline)
			all.Done()
		})
	}
	all.Wait()
	moreWakeups, moreCPU := usage()
	l.wakeups += moreWakeups - wakeups
	l.cpu += moreCPU - cpu
	return nil
}

func (l *lateness) detail() []row {
	r := l.spec.row("lateness", "each firing a goroutine")
	sortTimes(l.times)
	r["ops"] = len(l.times)
	r["late_p50_us"] = float64(percentile(l.times, 0.5)) / 1e3
	r["late_p99_us"] = float64(percentile(l.times, 0.99)) / 1e3
	r["early"] = l.early
	r["wakeups"] = l.wakeups
	r["cpu_s"] = l.cpu
	return []row{r}
}
