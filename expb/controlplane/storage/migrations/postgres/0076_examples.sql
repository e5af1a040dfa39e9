-- Examples of redirects, one row for each redirect that ever had some.
CREATE TABLE redirect_examples (
  redirect_id text PRIMARY KEY REFERENCES redirects (id) ON DELETE CASCADE,
  -- Grows with each change.
  version integer NOT NULL DEFAULT 1,
  examples json NOT NULL
);
-- Number of examples, so that redirects without any cost no further statement. A constant default rewrites no row.
ALTER TABLE redirects ADD COLUMN example_count integer NOT NULL DEFAULT 0;
