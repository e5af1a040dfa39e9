import { type Authenticate, expiredToken, type Identity, invalidToken } from '../plugins/authentication.js';
import { isTokenSecret } from './access-token.js';
import type { ActiveTokens } from './active-tokens.js';
import type { PlanOf } from './plans.js';
import type { TokenUseRecorder } from './token-use-recorder.js';

export interface TokenAuthenticationDeps {
  readonly activeTokens: ActiveTokens;
  readonly uses: TokenUseRecorder;
  readonly planOf: PlanOf;
  readonly nowMs: () => number;
  /** Takes what is not one of our own tokens. Absent: nothing else is taken. */
  readonly authenticateJwt: Authenticate | undefined;
}

/** Finds the user of a bearer token: one of our own, or a JWT where those are accepted. */
export function createTokenAuthentication(deps: TokenAuthenticationDeps): Authenticate {
  const { activeTokens, uses, planOf, nowMs, authenticateJwt } = deps;

  async function authenticateOwn(secret: string): Promise<Identity> {
    const known = await activeTokens.find(secret);
    if (known === undefined) return { refusal: invalidToken() };
    const { token, email } = known;
    if (token.expiresAt !== null && token.expiresAt.getTime() <= nowMs()) return { refusal: expiredToken() };
    uses.record(token);
    return {
      user: { id: token.userId, email, scopes: token.scopes, plan: await planOf(token.userId) },
    };
  }

  return async (token) => {
    if (isTokenSecret(token)) return authenticateOwn(token);
    return authenticateJwt === undefined ? { refusal: invalidToken() } : authenticateJwt(token);
  };
}
