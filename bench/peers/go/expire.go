package main

import (
	"runtime"
	"time"
)

const (
	expireSpan = int64(100 * time.Millisecond) // real deadlines
	expireMost = 2000000
)

type expire struct {
	spec   *spec
	timers *timers
	lead   int64 // from the begin of arming to the first deadline
	bytes  float64
}

func openExpire(s *spec) player {
	if s.timers > expireMost {
		return refusal{s, "each firing is a goroutine, all at once"}
	}
	before, began := heapBytes(), clock()
	e := &expire{spec: s, timers: makeTimers(s.timers)}
	e.bytes = (heapBytes() - before) / float64(s.timers)
	e.lead = 2*(clock()-began) + second/50
	return e
}

// The same numbers for each repeat; those that fired before all were armed are not counted.
func (e *expire) mean() []row {
	t, numbers, zero := e.timers, random(e.spec.seed), clock()+e.lead
	t.fired.Store(0)
	for i := range t.list {
		t.list[i].Reset(time.Duration(zero + numbers.between(1, expireSpan) - clock()))
	}
	holdUntil(zero + expireSpan + second/100)
	early, before := t.fired.Load(), cpu()
	for t.fired.Load() < int64(len(t.list)) {
		runtime.Gosched()
	}
	spent := cpu() - before
	e.checkFirings()
	r := e.spec.row("expire", "locks; no caller's time: all due, each firing a goroutine")
	r["ops"] = t.fired.Load()
	r["bytes_per_timer"] = e.bytes
	if late := int64(len(t.list)) - early; late > 0 {
		r["ns_per_op"] = float64(spent) / float64(late)
	}
	return []row{r}
}

// After one more turn for who fires again.
func (e *expire) checkFirings() {
	time.Sleep(time.Millisecond)
	if e.timers.fired.Load() != int64(len(e.timers.list)) {
		fail("check failed: a timer fired twice")
	}
}

func (e *expire) detail() []row { return nil }
