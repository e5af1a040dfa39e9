/** What tells an error's kind, such as Node's `ENOENT` or PostgreSQL's `57P01`; undefined where nothing does. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  // A number names nothing: a DOMException has one of old, whatever its name is.
  return typeof error.code === 'string' && error.code !== '' ? error.code : undefined;
}

/** What was thrown, in words: an error's message or, for want of one, its name. */
export function messageOf(error: unknown): string {
  return (error instanceof Error && error.message) || String(error);
}

/**
 * For `catch`: an error with this code is no failure but says that there is nothing.
 *
 * @throws every other error
 */
export function ignoring(code: string): (error: unknown) => undefined {
  return (error) => {
    if (codeOf(error) !== code) throw error;
  };
}
