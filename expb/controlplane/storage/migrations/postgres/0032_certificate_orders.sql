-- Orders of the last weeks, for the limits per registered domain.
CREATE TABLE certificate_orders (
  id text PRIMARY KEY,
  directory text NOT NULL,
  registered_domain text NOT NULL,
  host text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX certificate_orders_of_domain ON certificate_orders (registered_domain, directory, created_at);
CREATE INDEX certificate_orders_by_age ON certificate_orders (created_at);
