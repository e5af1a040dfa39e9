// A draft brings keys of an earlier page back. They must not be those of new rows.
let lastKey = Date.now();

/** Returns a new key of a row that can move or go while its form is edited. */
export function nextKey(): number {
  lastKey += 1;
  return lastKey;
}
