import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '../../errors/app-error.js';

const CODE_BYTES = 24;
const LIFETIME_MS = 60 * 60 * 1000;
/** Maximum codes that are valid at a time. Each start creates one. */
const MAX_CODES = 100;

/** One-time codes that sign a browser in. They are valid for an hour, in this process only. */
export type SignInCodes = ReturnType<typeof createSignInCodes>;

export function createSignInCodes(nowMs: () => number) {
  const codes = new Map<string, { readonly userId: string; readonly endsAtMs: number }>();

  return {
    /** Creates a code for a user. */
    create(userId: string): string {
      const oldest = codes.size < MAX_CODES ? undefined : codes.keys().next().value;
      if (oldest !== undefined) codes.delete(oldest);
      const code = `wmc_${randomBytes(CODE_BYTES).toString('base64url')}`;
      codes.set(hashOf(code), { userId, endsAtMs: nowMs() + LIFETIME_MS });
      return code;
    },
    /**
     * Consumes a code and returns its user.
     *
     * @throws {AppError} VALIDATION_ERROR
     */
    take(code: string): string {
      const hash = hashOf(code);
      const found = codes.get(hash);
      codes.delete(hash);
      if (found !== undefined && nowMs() < found.endsAtMs) return found.userId;
      throw new AppError('VALIDATION_ERROR', {
        field: 'code',
        message:
          'code must be that of a link that is neither used nor past its end. Each start prints a new link. You can also log in with an access token.',
      });
    },
  };
}

function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('base64');
}
