/**
 * Returns columns for `SELECT` or `RETURNING`, each under the name of its member: `user_id AS "userId"`. Rows are then records
 * that need no copy.
 *
 * @param columns names, separated by commas
 */
export function asMembers(columns: string): string {
  return columns
    .split(',')
    .map((column) => {
      const name = column.trim();
      const member = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      return member === name ? name : `${name} AS "${member}"`;
    })
    .join(', ');
}
