// A restored draft contains keys from an earlier page load. New rows must get other keys.
let lastKey = Date.now();

/** Returns a new key for a row that users can move or remove while they edit its form. */
export function nextKey(): number {
  lastKey += 1;
  return lastKey;
}
