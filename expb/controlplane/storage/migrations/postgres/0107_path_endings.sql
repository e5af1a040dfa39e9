-- How the end of the path is compared; null: by the option of the table.
ALTER TABLE path_entries ADD COLUMN path_ending text;
ALTER TABLE path_version_entries ADD COLUMN path_ending text;
