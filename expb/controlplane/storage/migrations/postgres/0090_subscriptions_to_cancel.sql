-- Finds the deletions whose subscriptions are still to be cancelled, of which there are few.
CREATE INDEX account_deletions_cancel_due ON account_deletions (requested_at) WHERE cancel_due;
