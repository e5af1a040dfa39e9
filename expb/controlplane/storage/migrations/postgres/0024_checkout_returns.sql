-- Where the user is sent after the checkout and after giving it up. NULL: to the dashboard.
ALTER TABLE checkouts ADD COLUMN success_url text;
ALTER TABLE checkouts ADD COLUMN cancel_url text;
-- {amount, discountAmount, taxAmount, totalAmount, currency}. NULL: the price of the plan.
ALTER TABLE checkouts ADD COLUMN price jsonb;
ALTER TABLE checkouts ADD COLUMN customer_name text;
ALTER TABLE checkouts ADD COLUMN customer_email text;
