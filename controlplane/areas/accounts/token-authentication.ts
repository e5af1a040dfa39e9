import type { AppError } from '../../errors/app-error.js';
import { type Authenticate, expiredToken, type Identity, invalidToken } from '../../http/authentication.js';
import { createWindowCounter } from '../../http/rate-limit-store.js';
import { tooManyRequests } from '../../http/too-many-requests.js';
import type { PlanOf } from '../../plan.js';
import { isSessionSecret, isTokenSecret } from './access-token.js';
import type { ActiveTokens } from './active-tokens.js';
import type { AuthenticateJwt } from './jwt-authentication.js';
import type { TokenUseRecorder } from './token-use-recorder.js';
import { accountSuspended } from './user.js';

interface TokenAuthenticationDeps {
  readonly activeTokens: ActiveTokens;
  readonly uses: TokenUseRecorder;
  readonly planOf: PlanOf;
  readonly nowMs: () => number;
  /** Accepts JWTs. Absent: only tokens of this service are accepted. */
  readonly authenticateJwt: AuthenticateJwt | undefined;
}

/** Finds the user of a session or of a bearer token: an access token of this service, or a JWT if JWTs are accepted. */
export function createTokenAuthentication(deps: TokenAuthenticationDeps): Authenticate {
  const { activeTokens, uses, planOf, nowMs, authenticateJwt } = deps;

  const badTokens = createBadTokenLimit();

  async function authenticateOwn(secret: string, caller: string): Promise<Identity> {
    let limited: AppError | undefined;
    const mayQuery = () => {
      limited = badTokens.refusal(caller);
      return limited === undefined;
    };
    // The plan is read with the token, in the same round trip.
    let reading: Promise<unknown> | undefined;
    const known = await activeTokens.find(secret, mayQuery, (userId) => {
      reading = planOf(userId).catch(() => undefined);
    });
    await reading;
    if (known === 'withheld') return { refusal: limited ?? invalidToken() };
    if (known === undefined) {
      badTokens.count(caller);
      return { refusal: invalidToken() };
    }
    const { token, email, isSuspended, isClosing } = known;
    if (token.expiresAt !== null && token.expiresAt.getTime() <= nowMs()) return { refusal: expiredToken() };
    if (isSuspended) return { refusal: accountSuspended() };
    uses.record(token);
    return {
      user: {
        id: token.userId,
        email,
        scopes: token.scopes,
        plan: await planOf(token.userId),
        tokenId: token.id,
        ...(isClosing && { isClosing }),
      },
    };
  }

  return async (secret, caller) => {
    if (isTokenSecret(secret) || isSessionSecret(secret)) return authenticateOwn(secret, caller);
    return authenticateJwt === undefined ? { refusal: invalidToken() } : authenticateJwt(secret);
  };
}

const WINDOW_MS = 60_000;
/** Maximum refused tokens of one address per window. After that, only some of its tokens are looked up. */
const MAX_BAD_TOKENS = 100;
const EXTRA_WINDOW_MS = 1_000;
/**
 * Maximum look-ups of one address per second beyond the limit. They keep valid tokens behind the same address working.
 */
const MAX_EXTRA_LOOKUPS = 10;
const MAX_ADDRESSES = 100_000;

/** Counts refused tokens by address in this process. Guessed tokens then do not reach the database. */
function createBadTokenLimit() {
  const counter = createWindowCounter({ windowMs: WINDOW_MS, maxWindows: MAX_ADDRESSES });
  const extra = createWindowCounter({ windowMs: EXTRA_WINDOW_MS, maxWindows: MAX_ADDRESSES });
  return {
    /** Counts a look-up beyond the limit. Returns the refusal for an address that had too many. */
    refusal(caller: string): AppError | undefined {
      const window = counter.get(caller);
      if (window === null || window.count < MAX_BAD_TOKENS) return undefined;
      if (extra.consume(caller).count <= MAX_EXTRA_LOOKUPS) return undefined;
      return tooManyRequests('Too many unknown access tokens came from this address.', window.msBeforeNext);
    },
    count: (caller: string) => void counter.consume(caller),
  };
}
