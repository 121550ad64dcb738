package serve

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// Descriptors that a server keeps for files and for what it does not count, and the most connections.
const (
	keptDescriptors = 24
	maxConnections  = 1024
)

// mostConnections returns how many connections a server holds: fewer than the process may have open
// files, so that a new one is always answered.
func mostConnections() int { return max(1, min(maxConnections, descriptors()-keptDescriptors)) }

// A pool holds the connections of a server. When it is full, a new one takes the place of that which has
// been without a request for longest. If all have one, it waits.
type pool struct {
	net.Listener
	places chan struct{} // has an element for each connection

	mu   sync.Mutex
	idle map[net.Conn]time.Time // since when
}

func newPool(l net.Listener, most int) *pool {
	return &pool{Listener: l, places: make(chan struct{}, most), idle: map[net.Conn]time.Time{}}
}

// Accept returns the next connection. It closes the longest idle one if there is no place.
func (p *pool) Accept() (net.Conn, error) {
	c, err := p.Listener.Accept()
	if err != nil {
		return nil, err
	}
	select {
	case p.places <- struct{}{}:
	default:
		p.closeIdle()
		p.places <- struct{}{} // of the connection that was closed, or of the next that ends
	}
	return c, nil
}

// changed keeps the connections that are idle. It is the ConnState of an http.Server.
func (p *pool) changed(c net.Conn, to http.ConnState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.idle, c)
	switch to {
	case http.StateNew, http.StateIdle:
		p.idle[c] = time.Now()
	case http.StateClosed, http.StateHijacked:
		<-p.places
	}
}

// closeIdle closes the connection that has been idle for longest, if there is one. Its end gives back its
// place.
func (p *pool) closeIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var oldest net.Conn
	for c, since := range p.idle {
		if oldest == nil || since.Before(p.idle[oldest]) {
			oldest = c
		}
	}
	if oldest != nil {
		delete(p.idle, oldest)
		_ = oldest.Close()
	}
}
