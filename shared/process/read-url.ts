/**
 * Returns the absolute URL in `text`, or undefined when it is not valid.
 *
 * `URL.canParse` is not used: in Node 20, once V8 has optimized its caller, it answers false for every host with a
 * character such as `ü`.
 */
export function readUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
