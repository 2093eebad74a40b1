package main

import "math/bits"

// workload/random.h
type random uint64

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return mix(uint64(*r))
}

func scale(value uint64, below int64) int64 {
	high, _ := bits.Mul64(value, uint64(below))
	return int64(high)
}

func (r *random) between(low, high int64) int64 {
	return low + scale(r.next(), high-low)
}
