/** Returns the position of `character` in the text at or after `from`, or the text's length when it is absent. */
export function indexOrLength(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from);
  return index === -1 ? text.length : index;
}
