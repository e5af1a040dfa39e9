const BEGIN = '<!-- results: written by `npm run bench -- --write` -->';
const END = '<!-- end of results -->';

/**
 * Puts results between the markers of a Markdown file.
 *
 * @throws when the markers are missing
 */
export function replaceResults(text: string, results: string): string {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`bench/results.md lacks the markers ${BEGIN} and ${END}`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${results.trim()}\n\n${text.slice(end)}`;
}
