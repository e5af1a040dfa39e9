import { keyedLines } from './hit-lines.js';

/** How rows begin as data planes write them: `["<producer>-<ordinal>","<redirect>"`. */
const ROW_START = /\["([^"\\]+)-(\d{1,15})","([^"\\]*)"/y;

/**
 * The ordinals of all hits of a batch, by redirect. It reads the first two values of each row only: with JSON.parse
 * this would take as long as everything else that is done with a row.
 *
 * @throws HitLinesError when a row cannot be of this producer
 */
export function ordinalsByRedirect(rows: string, producerId: string): Map<string, number[]> {
  const ordinalsOf = new Map<string, number[]>();
  const add = (redirectId: string, ordinal: number) => {
    const ordinals = ordinalsOf.get(redirectId);
    if (ordinals === undefined) ordinalsOf.set(redirectId, [ordinal]);
    else ordinals.push(ordinal);
  };
  for (let start = 0; start < rows.length; ) {
    const newline = rows.indexOf('\n', start);
    const end = newline === -1 ? rows.length : newline;
    ROW_START.lastIndex = start;
    const [, producer, ordinal, redirectId] = ROW_START.exec(rows) ?? [];
    if (producer === producerId && redirectId !== undefined && ROW_START.lastIndex <= end) {
      add(redirectId, Number(ordinal));
    } else {
      // Written in another way, or wrong.
      for (const { key } of keyedLines(rows.slice(start, end), producerId)) add(key.redirectId, key.ordinal);
    }
    start = end + 1;
  }
  return ordinalsOf;
}
