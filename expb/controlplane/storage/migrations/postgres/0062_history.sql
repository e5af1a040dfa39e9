-- Changes of what a user owns. An entry is added in the transaction of its change.
CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Not the start of the transaction: the order of times is the order of the versions of a redirect.
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  action text NOT NULL,
  resource_type text NOT NULL,
  -- NULL where the entry is about several resources.
  resource_id text,
  resource_name text,
  resource_count integer NOT NULL,
  summary text NOT NULL,
  -- Who made the change. All are NULL for the service itself.
  by_user_id text,
  by_email text,
  by_token_id text,
  by_address text
);
CREATE INDEX audit_log_of_user ON audit_log (user_id, at, id);
CREATE INDEX audit_log_of_resource ON audit_log (resource_id, at, id) WHERE resource_id IS NOT NULL;

-- Versions of redirects. No foreign keys: a bulk creation inserts 10,000 rows, and entries outlive their redirects.
CREATE TABLE redirect_versions (
  redirect_id text NOT NULL,
  version integer NOT NULL,
  audit_id bigint NOT NULL,
  -- What leads from this version back to the one before, as JSON; gzip in `packed` where it is long. Both are NULL for a creation.
  delta text,
  packed bytea,
  PRIMARY KEY (redirect_id, version)
);
ALTER TABLE redirect_versions ALTER COLUMN packed SET STORAGE EXTERNAL;
CREATE INDEX redirect_versions_of_entry ON redirect_versions (audit_id);

-- Entries expire and are erased with their account. They are never altered.
CREATE FUNCTION refuse_altered_history() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'rows of % cannot be altered', TG_TABLE_NAME; END $$;
CREATE TRIGGER audit_log_is_final BEFORE UPDATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_altered_history();
CREATE TRIGGER redirect_versions_are_final BEFORE UPDATE ON redirect_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_altered_history();
