-- Finds the signup that waits for an address, to mail its link again. Links live for a day, so the table is small.
CREATE INDEX account_links_signups ON account_links (email, expires_at) WHERE purpose = 'signup';
