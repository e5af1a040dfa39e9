-- What the owner of a rule writes, in bytes as text: the rules of a redirect are bounded together, and to measure all of
-- them at each change of one would take as long as to read them.
ALTER TABLE rules ADD COLUMN content_bytes integer NOT NULL GENERATED ALWAYS AS (
  octet_length(name) + octet_length(description) + octet_length(conditions::text) + octet_length(action::text)
    + octet_length(metadata::text)
) STORED;
