-- Keys of the values that prove whole zones, by user. The row with the empty zone counts for all zones without a row.
CREATE TABLE zone_keys (
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  zone text NOT NULL,
  key text NOT NULL,
  PRIMARY KEY (user_id, zone)
);
