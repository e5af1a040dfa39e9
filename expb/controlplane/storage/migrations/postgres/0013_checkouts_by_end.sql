-- What is long over is deleted in that order.
CREATE INDEX checkouts_by_end ON checkouts (expires_at);
