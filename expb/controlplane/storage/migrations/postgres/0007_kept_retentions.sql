-- The longest time that any hits of a user are kept, by the plans that the user has been on; -1: for ever. Without a
-- row it is what the plan says.
CREATE TABLE kept_retentions (
  user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  days integer NOT NULL
);
