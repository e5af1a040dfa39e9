-- The wildcard redirect that the host is below; null: the host has a redirect of its own.
ALTER TABLE certificates ADD COLUMN wildcard text;
-- The first handshake for a host below a wildcard, which counts toward the limits of its zone and its owner.
ALTER TABLE certificates ADD COLUMN seen_at timestamptz;
