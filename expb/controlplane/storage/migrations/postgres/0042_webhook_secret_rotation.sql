-- After a rotation messages are signed with the old secret too, until its end.
ALTER TABLE webhook_endpoints ADD COLUMN previous_secret bytea;
ALTER TABLE webhook_endpoints ADD COLUMN previous_secret_until timestamptz;
