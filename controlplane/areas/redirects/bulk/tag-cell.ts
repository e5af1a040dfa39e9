/** Returns tags as a cell of a table: separated by `|`, with a backslash before each `|` and backslash of a tag. */
export function tagCell(tags: readonly string[]): string {
  return tags.map((tag) => tag.replace(/[\\|]/g, '\\$&')).join('|');
}

/** Reads a cell of `tagCell`. A backslash before any other character is part of the tag. */
export function tagsOfCell(cell: string): string[] {
  const tags = cell.match(/(?:\\[\\|]|[^|])+/g) ?? [];
  return tags.map((tag) => tag.replace(/\\([\\|])/g, '$1').trim());
}
