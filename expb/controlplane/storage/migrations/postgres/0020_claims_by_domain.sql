-- Finds every claim on a domain, and the redirects that follow a host in a chain.
CREATE INDEX CONCURRENTLY redirects_by_domain ON redirects (from_domain);
