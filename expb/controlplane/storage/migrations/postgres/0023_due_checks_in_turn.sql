-- Due domains are found by user.
DROP INDEX redirects_due_for_check;
