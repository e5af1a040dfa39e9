import { NativeFormatError, type TextValues } from '../../shared/native/native-reader.js';

/**
 * Returns the ordinals of all hits of a batch, by redirect, in ascending order.
 *
 * @param redirects of its hits, row by row
 * @throws NativeFormatError when the dictionary contains a redirect twice
 */
export function ordinalsByRedirect(
  { texts, indexes }: TextValues,
  firstOrdinal: number,
): Map<string, Float64Array> {
  const ends = new Uint32Array(texts.length);
  for (const index of indexes) ends[index] = (ends[index] ?? 0) + 1;
  for (let index = 1; index < ends.length; index += 1)
    ends[index] = (ends[index] ?? 0) + (ends[index - 1] ?? 0);
  const starts = ends.slice();
  const ordinals = new Float64Array(indexes.length);
  for (let row = indexes.length - 1; row >= 0; row -= 1) {
    const index = indexes[row] ?? 0;
    const start = (starts[index] ?? 0) - 1;
    starts[index] = start;
    ordinals[start] = firstOrdinal + row;
  }
  const byRedirect = new Map(
    texts.map((text, index) => [text, ordinals.subarray(starts[index], ends[index])] as const),
  );
  if (byRedirect.size < texts.length) throw new NativeFormatError('a redirect is in the dictionary twice');
  return byRedirect;
}
