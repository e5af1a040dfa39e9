-- Numbers of drafts. A draft that was deleted and written again has another number.
CREATE SEQUENCE redirect_draft_versions;

-- Changes of redirects that wait to be published, one draft for each redirect.
CREATE TABLE redirect_drafts (
  redirect_id text PRIMARY KEY REFERENCES redirects (id) ON DELETE CASCADE,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  version bigint NOT NULL DEFAULT nextval('redirect_draft_versions'),
  -- JSON, compressed by the control plane.
  content bytea NOT NULL,
  -- Version of the redirect that the draft was made from.
  base_version integer NOT NULL,
  -- Who wrote it last.
  written_by jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  publish_at timestamptz,
  -- Who asked for the publication.
  publish_by jsonb,
  last_error jsonb,
  -- When other control planes may try to publish it.
  claimed_until timestamptz,
  attempts integer NOT NULL DEFAULT 0
);
ALTER TABLE redirect_drafts ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX redirect_drafts_of_user ON redirect_drafts (user_id);
CREATE INDEX redirect_drafts_due ON redirect_drafts (publish_at) WHERE publish_at IS NOT NULL;
