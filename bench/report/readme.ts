const BEGIN = '<!-- results: written by `npm run bench -- --write` -->';
const END = '<!-- end of results -->';

/**
 * Puts results between the markers of a README.
 *
 * @throws when the markers are missing
 */
export function replaceResults(readme: string, results: string): string {
  const begin = readme.indexOf(BEGIN);
  const end = readme.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`the README lacks the markers ${BEGIN} and ${END}`);
  return `${readme.slice(0, begin + BEGIN.length)}\n\n${results.trim()}\n\n${readme.slice(end)}`;
}
