import type { AppError } from '../../errors/app-error.js';
import { type Authenticate, expiredToken, type Identity, invalidToken } from '../../http/authentication.js';
import type { PlanOf } from '../../plan.js';
import { isSessionSecret, isTokenSecret } from './access-token.js';
import type { ActiveTokens } from './active-tokens.js';
import type { BadTokenLimit } from './bad-token-limit.js';
import type { AuthenticateJwt } from './jwt-authentication.js';
import type { TokenUseRecorder } from './token-use-recorder.js';
import { accountSuspended } from './user.js';

export interface TokenAuthenticationDeps {
  readonly activeTokens: ActiveTokens;
  readonly badTokens: BadTokenLimit;
  readonly uses: TokenUseRecorder;
  readonly planOf: PlanOf;
  readonly nowMs: () => number;
  /** Accepts foreign tokens. Absent: only our own tokens are accepted. */
  readonly authenticateJwt: AuthenticateJwt | undefined;
}

/** Finds the user of a session or of a bearer token: one of our own, or a JWT if those are accepted. */
export function createTokenAuthentication(deps: TokenAuthenticationDeps): Authenticate {
  const { activeTokens, badTokens, uses, planOf, nowMs, authenticateJwt } = deps;

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
