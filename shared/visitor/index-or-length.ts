/** Where `character` is in the text, `from` there on; the text's length where it is not. */
export function indexOrLength(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from);
  return index === -1 ? text.length : index;
}
