-- Constant defaults: the table is not rewritten.
ALTER TABLE redirects
  ADD COLUMN version integer NOT NULL DEFAULT 1,
  ADD COLUMN enabled boolean NOT NULL DEFAULT true,
  ADD COLUMN tags text[] NOT NULL DEFAULT '{}',
  ADD COLUMN note text NOT NULL DEFAULT '',
  ADD COLUMN external_id text,
  -- 307 of a temporary or 308 of a permanent redirect. NULL: 302 or 301.
  ADD COLUMN status_code smallint,
  ADD COLUMN starts_at timestamptz,
  ADD COLUMN ends_at timestamptz,
  -- {"statusCode": 410} or {"url": …}. NULL: 404.
  ADD COLUMN after_end jsonb,
  -- Host of the URL in after_end: an edge for loop detection, as to_host is.
  ADD COLUMN after_end_host text,
  -- json keeps the order of the members. NULL: none.
  ADD COLUMN response_headers json,
  ADD COLUMN append_query json,
  -- 'upgrade' or 'off'. NULL: both HTTP and HTTPS.
  ADD COLUMN https_mode text,
  ADD COLUMN hsts jsonb,
  -- A deleted redirect can be restored until it is purged. Its verified_at is NULL, so that no release serves it.
  ADD COLUMN deleted_at timestamptz,
  ADD COLUMN verified_before_deletion timestamptz;
ALTER TABLE rules ADD COLUMN version integer NOT NULL DEFAULT 1;
-- Deletion by a user lowers the count. The later purge must not lower it again.
CREATE OR REPLACE FUNCTION count_deleted_redirects() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE users SET redirect_count = redirect_count - deleted.redirects
    FROM (SELECT user_id, count(*) AS redirects FROM changed WHERE deleted_at IS NULL GROUP BY user_id) AS deleted
    WHERE users.id = deleted.user_id; RETURN NULL; END $$;
