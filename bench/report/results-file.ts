const BEGIN = '<!-- results: written by `npm run bench -- --write` -->';
const END = '<!-- end of results -->';

/**
 * Returns the sections between the markers of a Markdown file by their headings, without the headings. The text before the
 * first heading has the name ''.
 */
export function sectionsOf(text: string): ReadonlyMap<string, string> {
  const [first = '', ...sections] = text.slice(...bounds(text)).split(/^## /m);
  return new Map([
    ['', first.trim()],
    ...sections.map((section): [string, string] => {
      const end = `${section}\n`.indexOf('\n');
      return [section.slice(0, end), section.slice(end).trim()];
    }),
  ]);
}

/**
 * Puts results between the markers of a Markdown file.
 *
 * @throws when the markers are missing
 */
export function replaceResults(text: string, results: string): string {
  const [begin, end] = bounds(text);
  return `${text.slice(0, begin)}\n\n${results.trim()}\n\n${text.slice(end)}`;
}

function bounds(text: string): [begin: number, end: number] {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`bench/results.md lacks the markers ${BEGIN} and ${END}`);
  return [begin + BEGIN.length, end];
}
