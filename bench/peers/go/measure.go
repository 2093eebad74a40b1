package main

import (
	"math"
	"runtime"
	"sort"
	"syscall"
	"time"
	"unsafe"
)

var began = time.Now()

// Monotonic, in ns.
func clock() int64 { return int64(time.Since(began)) }

// What the whole process has run for, garbage collection included: a goroutine has no thread of its
// own.
func cpu() int64 {
	const clockProcessCPU = 2
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockProcessCPU, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

// Waits without giving the P away, so that no timer fires meanwhile.
func holdUntil(end int64) {
	for left := end - clock(); left > 0; left = end - clock() {
		span := syscall.NsecToTimespec(left)
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&span)), 0, 0)
	}
}

func heapBytes() float64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}

// What two reads of the clock one after the other differ by, at their median.
func clockOverhead() int64 {
	spans := make([]int64, 1001)
	for i := range spans {
		before := clock()
		spans[i] = clock() - before
	}
	sortTimes(spans)
	return percentile(spans, 0.5)
}

func sortTimes[T int64 | uint32](times []T) {
	sort.Slice(times, func(i, k int) bool { return times[i] < times[k] })
}

// Of sorted times.
func percentile[T int64 | uint32](times []T, fraction float64) T {
	place := int(math.Ceil(fraction * float64(len(times))))
	if place < 1 {
		place = 1
	}
	return times[place-1]
}

// Sorts times, which are not empty.
func setPercentiles[T int64 | uint32](r row, times []T) {
	sortTimes(times)
	r["p50_ns"] = percentile(times, 0.5)
	r["p99_ns"] = percentile(times, 0.99)
	r["p9999_ns"] = percentile(times, 0.9999)
	r["max_ns"] = times[len(times)-1]
}
