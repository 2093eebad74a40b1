package main

const note = "locks; the whole process' CPU time; no caller's time, so nothing expires meanwhile"

// workload/loops.h
type loop struct {
	spec   *spec
	timers *timers
	random random
	now    int64
	turn   int64
	bytes  float64
}

func makeLoop(s *spec) loop {
	return loop{spec: s, timers: makeTimers(s.timers + ring), random: random(s.seed), now: start}
}

func (l *loop) fill() {
	for i := int64(0); i < int64(l.spec.timers); i++ {
		l.add(i, l.random.between(second, 60*second))
	}
	for i := int64(ring / 2); i < ring && l.spec.workload == "fifo"; i++ {
		l.timers.reset(int64(l.spec.timers)+i, l.now, 60*second)
	}
}

func (l *loop) add(i, delay int64) {
	l.timers.reset(i, l.now, delay)
	l.timers.deadlines[i] = l.now + delay
}

func (l *loop) left(i int64) int64 {
	if left := l.timers.deadlines[i] - l.now; left > 0 {
		return left
	}
	return 0
}

// What the next operation is about, drawn before its time is taken.
type draw struct{ timer, percent, delay int64 }

type workload struct {
	draw    func(l *loop) draw
	operate func(l *loop, d draw)
}

func drawTimer(l *loop) draw {
	return draw{scale(l.random.next(), int64(l.spec.timers)), 0, 60 * second}
}

func drawDelay(l *loop) draw {
	d := drawTimer(l)
	d.delay = l.random.between(second, 60*second)
	return d
}

func drawMixed(l *loop) draw {
	drawn := l.random.next()
	d := draw{scale(drawn, int64(l.spec.timers)), scale(mix(drawn), 100), 60 * second}
	if d.percent >= 70 {
		d.delay = l.random.between(second, 60*second)
	}
	return d
}

func drawNothing(l *loop) draw { return draw{delay: 60 * second} }

func stopAdd(l *loop, d draw) {
	l.timers.stop(d.timer)
	l.timers.reset(d.timer, l.now, d.delay)
}

func resetLater(l *loop, d draw) { l.timers.reset(d.timer, l.now, d.delay) }

func resetEarlier(l *loop, d draw) {
	left := l.left(d.timer)
	l.add(d.timer, left-left/16)
}

func fifo(l *loop, d draw) {
	l.timers.reset(int64(l.spec.timers)+l.turn%ring, l.now, d.delay)
	l.timers.stop(int64(l.spec.timers) + (l.turn+ring/2)%ring)
}

func mixed(l *loop, d draw) {
	switch {
	case d.percent >= 95:
		d.delay %= 10000000
	case d.percent >= 85:
		d.delay = l.left(d.timer)/2 + 1000
	case d.percent >= 70:
		l.timers.stop(d.timer)
	}
	l.add(d.timer, d.delay)
}

var workloads = map[string]workload{
	"stop+add":      {drawDelay, stopAdd},
	"reset-later":   {drawTimer, resetLater},
	"reset-earlier": {drawTimer, resetEarlier},
	"fifo":          {drawNothing, fifo},
	"mixed":         {drawMixed, mixed},
}

// times: nil, or where the time of each single operation goes.
func (l *loop) run(ops int, times []int64, overhead int64) {
	w := workloads[l.spec.workload]
	for i := 0; i < ops; i++ {
		d := w.draw(l)
		if times == nil {
			w.operate(l, d)
		} else {
			before := clock()
			w.operate(l, d)
			times[i] = clock() - before - overhead
		}
		l.now += 1000
		l.turn++
	}
}

func openLoop(s *spec) player {
	before := heapBytes()
	l := makeLoop(s)
	l.fill()
	l.bytes = (heapBytes() - before) / float64(s.timers)
	return &l
}

func (l *loop) mean() []row {
	l.run(l.spec.ops/20, nil, 0)
	before := cpu()
	l.run(l.spec.ops, nil, 0)
	r := l.spec.row(l.spec.workload, note)
	r["ops"] = l.spec.ops
	r["ns_per_op"] = float64(cpu()-before) / float64(l.spec.ops)
	r["bytes_per_timer"] = l.bytes
	return []row{r}
}

func (l *loop) detail() []row {
	times := make([]int64, l.spec.ops)
	l.run(l.spec.ops, times, clockOverhead())
	r := l.spec.row(l.spec.workload, note)
	setPercentiles(r, times)
	return []row{r}
}
