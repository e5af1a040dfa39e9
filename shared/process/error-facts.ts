/** Returns an error's code, such as Node's `ENOENT` or PostgreSQL's `57P01`; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  // A numeric code says nothing: a DOMException always has a legacy one.
  return typeof error.code === 'string' && error.code !== '' ? error.code : undefined;
}

/**
 * Messages of WASI error numbers, which Emscripten throws
 * (https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#errno).
 */
const WASI_ERRORS: Readonly<Record<number, string>> = {
  2: 'permission denied',
  19: 'disk quota exceeded',
  22: 'file too large',
  29: 'input/output error',
  51: 'no space left on device',
  63: 'operation not permitted',
  69: 'read-only file system',
};

/** Returns the message of a thrown value, or its name if it has no message. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || String(error);
  if (typeof error !== 'object' || error === null) return String(error);
  const { message, name = 'unknown error', errno } = error as Record<string, unknown>;
  if (typeof errno === 'number') return WASI_ERRORS[errno] ?? `${String(name)} ${errno}`;
  return typeof message === 'string' && message !== '' ? message : String(name);
}

/**
 * Creates a handler for `catch` that returns undefined for errors with this code.
 *
 * @throws every other error
 */
export function ignoring(code: string): (error: unknown) => undefined {
  return (error) => {
    if (codeOf(error) !== code) throw error;
  };
}
