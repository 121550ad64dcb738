package serve

// Routes lists the routes, such as "GET /healthz".
func (s *Server) Routes() []string {
	var all []string
	for _, r := range s.routes() {
		all = append(all, r.method+" "+r.path)
	}
	return all
}
