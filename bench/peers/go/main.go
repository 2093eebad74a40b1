// Go's timers as a peer of tarry-compare: time.AfterFunc, Stop and Reset, on one P. What is said
// between the two programs is told in peers/peer.c, the workloads in workload/workload.h; the loops
// draw the same random numbers as those of the other peers.
//
// An armed timer is far away: an hour is added to each delay of the timed loops, so that nothing
// falls due by real time meanwhile, as nothing does on the other peers without caller's time.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
)

type spec struct {
	workload    string
	timers, ops int
	seed        uint64
}

// What is left out of a row was not measured.
type row map[string]any

type player interface {
	mean() []row
	detail() []row
}

func (s *spec) row(workload, note string) row {
	return row{"workload": workload, "peer": "go", "timers": s.timers, "threads": 1, "note": note}
}

// Plays nothing, and says why.
type refusal struct {
	spec *spec
	why  string
}

func (r refusal) mean() []row {
	return []row{r.spec.row(r.spec.workload, "not played: "+r.why)}
}

func (r refusal) detail() []row { return r.mean() }

func readSpec(arguments []string) (*spec, bool) {
	if len(arguments) != 6 {
		return nil, false
	}
	var counts [3]int
	for i := range counts {
		n, err := strconv.Atoi(arguments[3+i])
		if err != nil || n < 1 {
			return nil, false
		}
		counts[i] = n
	}
	return &spec{arguments[2], counts[0], counts[1], uint64(counts[2])}, true
}

func open(s *spec) player {
	if s.workload == "lateness" {
		return openLateness(s)
	}
	runtime.GOMAXPROCS(1)
	switch s.workload {
	case "stop+add", "reset-later", "reset-earlier", "fifo", "mixed":
		return openLoop(s)
	case "expire":
		return openExpire(s)
	case "worst":
		return &worst{spec: s}
	}
	return refusal{s, "this workload is for tarry alone"}
}

func fail(why string) {
	fmt.Fprintf(os.Stderr, "%s: %s\n", os.Args[1], why)
	os.Exit(1)
}

func printRows(out *bufio.Writer, rows []row) bool {
	for _, r := range rows {
		line, err := json.Marshal(r)
		if err != nil {
			return false
		}
		out.Write(append(line, '\n'))
	}
	out.WriteByte('\n')
	return out.Flush() == nil
}

func main() {
	s, good := readSpec(os.Args)
	if !good {
		fmt.Fprintf(os.Stderr, "Usage: %s SUBJECT WORKLOAD TIMERS OPS SEED\n", os.Args[0])
		os.Exit(2)
	}
	out := bufio.NewWriter(os.Stdout)
	p := open(s)
	good = printRows(out, nil)
	for in := bufio.NewScanner(os.Stdin); good && in.Scan(); {
		if in.Text() == "mean" {
			good = printRows(out, p.mean())
		} else {
			good = printRows(out, p.detail())
		}
	}
	if !good {
		os.Exit(1)
	}
}
