const memberOf = (column: string) => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const namesOf = (columns: string) => columns.split(',').map((column) => column.trim());

/**
 * Returns columns for `SELECT` or `RETURNING`, each under the name of its member: `user_id AS "userId"`. Rows are then records
 * that need no copy.
 *
 * @param columns names, separated by commas
 * @param table of the columns, for statements with several tables
 */
export function asMembers(columns: string, table?: string): string {
  const from = table === undefined ? '' : `${table}.`;
  return namesOf(columns)
    .map((name) => from + (memberOf(name) === name ? name : `${name} AS "${memberOf(name)}"`))
    .join(', ');
}

/** Returns the members of a record as parameters for these columns. @throws when it lacks one */
export function membersFor(columns: string, record: object): unknown[] {
  return namesOf(columns).map((name) => {
    const value = (record as Readonly<Record<string, unknown>>)[memberOf(name)];
    if (value === undefined) throw new Error(`no value for the column ${name}`);
    return value;
  });
}
