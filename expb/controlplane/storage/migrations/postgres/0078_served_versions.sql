-- Since which number of the ruleset data planes have a version of a redirect. Hits name the ruleset that answered, so this finds the
-- version that decided about a hit. Version 1 has no row: it is served until the first row. Versions that change nothing
-- that is served have none either. There is no foreign key: the rows are inserted while the head of the ruleset is locked.
CREATE TABLE served_versions (
  redirect_id text NOT NULL,
  version integer NOT NULL,
  epoch bigint NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (redirect_id, version)
);
