/**
 * For `catch` on a file that may be gone: another process may have taken over and deleted it.
 *
 * @throws every error but ENOENT
 */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
