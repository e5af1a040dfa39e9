-- Proofs of verified domains, which are checked again every day. A sweep adds the domains that were verified before.
CREATE TABLE domain_proofs (
  redirect_id text PRIMARY KEY REFERENCES redirects (id) ON DELETE CASCADE,
  next_check_at timestamptz NOT NULL,
  -- When DNS last gave a definite answer: the proof is there, or it is not.
  decided_at timestamptz,
  -- Since when the proof is not there.
  missing_since timestamptz
);
CREATE INDEX domain_proofs_due ON domain_proofs (next_check_at);
