-- Who sent the file, for the versions that it makes. NULL for imports of an earlier release. The user is in user_id.
ALTER TABLE imports
  ADD COLUMN by_email text,
  ADD COLUMN by_token_id text,
  ADD COLUMN by_address text;
