package main

const worstRepeats = 4

// workload/worst.h: element-wise minimum over identical repeats of a sequence.
type worst struct {
	spec *spec
	loop
	overhead int64
	least    [kinds]longest
}

const (
	kindStop = iota
	kindAdd
	kindReset
	kinds
)

var kindNames = [kinds]string{"stop", "add", "reset"}

type longest struct {
	least []uint32
	at    int
}

func (l *longest) add(ns int64) {
	if ns < 0 {
		ns = 0
	}
	if l.at == len(l.least) {
		l.least = append(l.least, uint32(ns))
	} else if uint32(ns) < l.least[l.at] {
		l.least[l.at] = uint32(ns)
	}
	l.at++
}

func (w *worst) timed(kind int, operation func()) {
	before := clock()
	operation()
	w.least[kind].add(clock() - before - w.overhead)
}

func (w *worst) scatter(i int64) int64 {
	return int64(uint64(i) * 2654435761 % uint64(w.spec.timers))
}

// The first from a random one on that is armed, or is not.
func (w *worst) pick(armed bool) int64 {
	count := int64(w.spec.timers)
	i := scale(w.random.next(), count)
	for k := int64(0); k < count && (w.timers.deadlines[i] != 0) != armed; k++ {
		i = (i + 1) % count
	}
	return i
}

func (w *worst) stop(i int64) {
	w.timed(kindStop, func() { w.timers.stop(i) })
	w.timers.deadlines[i] = 0
	w.now += 1000
}

func (w *worst) arm(kind int, i, delay int64) {
	w.timed(kind, func() { w.timers.reset(i, w.now, delay) })
	w.timers.deadlines[i] = w.now + delay
}

func (w *worst) mix() {
	w.fill()
	half := int64(w.spec.timers / 2)
	for i := int64(0); i < half; i++ {
		w.stop(w.scatter(i))
	}
	for i := int64(0); i < half/3; i++ {
		timer := w.pick(false)
		w.arm(kindAdd, timer, w.random.between(second, 60*second))
		timer = w.pick(true)
		w.arm(kindReset, timer, w.random.between(second, 60*second))
		w.stop(w.pick(true))
	}
}

func (w *worst) burst() {
	count := int64(w.spec.timers)
	for i := int64(0); i < count; i++ {
		w.arm(kindAdd, i, 60*second)
		w.now += second / 10 / count
	}
	for i := int64(0); i < count*95/100; i++ {
		w.stop(w.scatter(i))
	}
}

func (w *worst) sequence(run func(), prefix string) []row {
	var rows []row
	w.least, w.overhead = [kinds]longest{}, clockOverhead()
	for k := 0; k < worstRepeats; k++ {
		for i := range w.least {
			w.least[i].at = 0
		}
		w.loop = makeLoop(w.spec)
		run()
		w.timers.stopAll()
	}
	for kind, l := range w.least {
		if len(l.least) > 0 {
			rows = append(rows, w.row("worst/"+prefix+kindNames[kind], l.least))
		}
	}
	return rows
}

func (w *worst) row(workload string, least []uint32) row {
	r, sum := w.spec.row(workload, note), 0.0
	for _, ns := range least {
		sum += float64(ns)
	}
	r["ops"] = len(least)
	r["ns_per_op"] = sum / float64(len(least))
	setPercentiles(r, least)
	return r
}

func (w *worst) mean() []row {
	return append(w.sequence(w.mix, ""), w.sequence(w.burst, "burst-")...)
}

func (w *worst) detail() []row { return w.mean() }
