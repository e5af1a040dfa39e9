-- The index redirects_restorable replaces it.
DROP INDEX redirects_deleted_of_user;
