-- The oldest due delivery of each endpoint is found without reading the others.
CREATE INDEX CONCURRENTLY webhook_deliveries_of_due_endpoint ON webhook_deliveries (endpoint_id, next_attempt_at, id)
  WHERE next_attempt_at IS NOT NULL;
