package main

import (
	"sync/atomic"
	"time"
)

const (
	second  = int64(time.Second)
	far     = 3600 * second
	start   = 1000 * second // where virtual time begins
	ring    = 32            // timers of fifo, beside the others
	tickOps = 1024
)

// The timers of one player, and a word beside each for the loops.
type timers struct {
	list      []*time.Timer
	deadlines []int64
	fired     atomic.Int64
}

// None is armed.
func makeTimers(count int) *timers {
	t := &timers{list: make([]*time.Timer, count), deadlines: make([]int64, count)}
	onTimer := func() { t.fired.Add(1) }
	for i := range t.list {
		t.list[i] = time.AfterFunc(time.Duration(far), onTimer)
		t.list[i].Stop()
	}
	return t
}

func (t *timers) stop(i int64) { t.list[i].Stop() }

// Arms it, whether it was armed or not. The virtual time that has gone by is put on top of the delay.
func (t *timers) reset(i, now, delay int64) {
	t.list[i].Reset(time.Duration(far + now - start + delay))
}

func (t *timers) stopAll() {
	for _, one := range t.list {
		one.Stop()
	}
}
