-- Until when one control plane erases the account. Renewed while it works.
CREATE TABLE account_erasure_claims (
  user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  claimed_until timestamptz NOT NULL
);

-- Redirects that were removed while their hits are kept, so that the hits can be erased with the account.
CREATE TABLE purged_redirects (
  redirect_id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX purged_redirects_by_user ON purged_redirects (user_id);
