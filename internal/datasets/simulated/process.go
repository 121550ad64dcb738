package simulated

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// A process is a copy of a command that answers questions.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    *tail // on standard error
	started error
}

func start(command []string) *process {
	p := &process{cmd: exec.Command(command[0], command[1:]...), said: &tail{}}
	p.cmd.Stderr = p.said
	p.in, p.started = p.cmd.StdinPipe()
	if p.started != nil {
		return p
	}
	var out io.Reader
	if out, p.started = p.cmd.StdoutPipe(); p.started != nil {
		return p
	}
	p.out = bufio.NewReaderSize(out, 1<<16)
	p.started = p.cmd.Start()
	return p
}

func (p *process) ask(question string) {
	if p.started == nil {
		_, _ = io.WriteString(p.in, question+"\n") // a command that has ended gives no answer
	}
}

// The largest header and the largest file of an answer.
const (
	maxHeader = 1 << 20
	maxAnswer = 1 << 31
)

// answer reads a safetensors file.
func (p *process) answer() ([]byte, error) {
	if p.started != nil {
		return nil, p.started
	}
	var length [8]byte
	if n, err := io.ReadFull(p.out, length[:]); err == io.EOF {
		return nil, fmt.Errorf("it ended without an answer")
	} else if err != nil {
		return nil, fmt.Errorf("it ended after %d bytes", n)
	}
	size := binary.LittleEndian.Uint64(length[:])
	if size > maxHeader {
		return nil, fmt.Errorf("it began its answer with %q", length)
	}
	header := make([]byte, size)
	if _, err := io.ReadFull(p.out, header); err != nil {
		return nil, fmt.Errorf("it ended within the header of its answer")
	}
	var tensors map[string]struct {
		Offsets [2]int64 `json:"data_offsets"`
	}
	if err := json.Unmarshal(header, &tensors); err != nil {
		return nil, fmt.Errorf("it answered with the header %.40q", header)
	}
	end := int64(0)
	for _, t := range tensors {
		end = max(end, t.Offsets[1])
	}
	if end > maxAnswer {
		return nil, fmt.Errorf("it answered with %d bytes", end)
	}
	data := make([]byte, end)
	if n, err := io.ReadFull(p.out, data); err != nil {
		return nil, fmt.Errorf("it ended after %d of %d bytes of its answer", n, end)
	}
	return bytes.Join([][]byte{length[:], header, data}, nil), nil
}

// end kills the process, which keeps nothing.
func (p *process) end() {
	if p.started == nil {
		_ = p.cmd.Process.Kill() // it may have ended
		_ = p.cmd.Wait()
	}
}

// A tail keeps the last of what is written to it.
type tail struct{ text []byte }

const tailSize = 4096

func (t *tail) Write(b []byte) (int, error) {
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-tailSize):]
	return len(b), nil
}

// last returns the last line.
func (t *tail) last() string {
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return lines[len(lines)-1]
}
