-- What is asked of the charges and the checkouts of one subscription.
CREATE INDEX transactions_of_subscription ON transactions (subscription_id);
CREATE INDEX checkouts_of_subscription ON checkouts (subscription_id);
