package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// An instruction is one instruction of a kernel's machine code, as cuobjdump -sass prints it.
type instruction struct {
	address int
	op      string // with its suffixes, such as LDS.128; "?" where cuobjdump knows no name
	when    bool   // it may be skipped, or not be taken if it is a branch
	target  int    // the address of a branch; otherwise -1
	control uint64 // the upper half of its encoding: stall cycles and barriers, see timeline
}

var (
	named   = regexp.MustCompile(`^\s*/\*([0-9a-f]{4,})\*/\s+(@\S+\s+)?([A-Z0-9_.x]+)([^;]*);`)
	upper   = regexp.MustCompile(`^\s*/\* 0x([0-9a-f]{16}) \*/\s*$`)
	pointed = regexp.MustCompile(`0x[0-9a-f]+$`)
)

// readKernels returns the instructions of each kernel in the output of cuobjdump -sass. Every
// instruction takes 16 bytes and two lines. cuobjdump leaves out the text of those that it does not
// know; they count all the same.
func readKernels(r io.Reader) (map[string][]instruction, error) {
	kernels := map[string][]instruction{}
	name := ""
	half := false // the upper half of the last instruction's encoding is still to come
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if _, after, ok := strings.Cut(line, "Function : "); ok {
			name, half = strings.TrimSpace(after), false
			kernels[name] = nil
			continue
		}
		code := kernels[name]
		if m := named.FindStringSubmatch(line); m != nil {
			at, err := strconv.ParseInt(m[1], 16, 0)
			if err != nil {
				return nil, err
			}
			in := instruction{address: int(at), op: m[3], when: m[2] != "", target: -1}
			if in.branches() {
				to := pointed.FindString(strings.TrimSpace(m[4]))
				n, err := strconv.ParseInt(to, 0, 0)
				if err != nil {
					return nil, fmt.Errorf("%s, %#x: found %q, expected a branch to an address", name, at, strings.TrimSpace(line))
				}
				in.target = int(n)
				// BRA.DIV and BRA P1 are taken by some threads only.
				in.when = in.when || in.op == "BRA.DIV" || strings.TrimSpace(m[4]) != to
			}
			kernels[name], half = append(code, in), true
		} else if m := upper.FindStringSubmatch(line); m != nil && half {
			code[len(code)-1].control, _ = strconv.ParseUint(m[1], 16, 64) // 16 digits
			half = false
		} else if m != nil && len(code) > 0 {
			kernels[name], half = append(code, instruction{address: code[len(code)-1].address + 16, op: "?", target: -1}), true
		}
	}
	return kernels, lines.Err()
}

// disassemble returns the kernels of a fatbin for one architecture, such as sm_90. A fatbin is empty
// where nvcc did not know its GPU.
func disassemble(fatbin, arch string) (map[string][]instruction, error) {
	if about, err := os.Stat(fatbin); err != nil || about.Size() == 0 {
		return nil, err
	}
	cmd := exec.Command("cuobjdump", "-sass", "-arch", arch, fatbin)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	kernels, err := readKernels(out)
	if e := cmd.Wait(); err == nil && e != nil {
		return nil, fmt.Errorf("cuobjdump of %s: %w", fatbin, e)
	}
	return kernels, err
}

// opcode returns the operation without its suffixes.
func (i instruction) opcode() string {
	op, _, _ := strings.Cut(i.op, ".")
	return op
}

// branches reports whether an instruction goes on elsewhere. NOINC calls do not return.
func (i instruction) branches() bool {
	return i.opcode() == "BRA" || i.op == "CALL.REL.NOINC"
}

// ends reports whether the kernel ends with an instruction.
func (i instruction) ends() bool { return i.opcode() == "EXIT" || i.opcode() == "RET" }
