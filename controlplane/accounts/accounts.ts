import type { FastifyPluginAsync } from 'fastify';
import type { Logger } from 'pino';
import type { ControlplaneConfig } from '../../shared/config/config.js';
import type { Database } from '../database/database.js';
import type { Authenticate } from '../plugins/authentication.js';
import { createLocalRateLimitStores, type RateLimitStores } from '../plugins/rate-limit-store.js';
import type { StandingOf } from './account-standing.js';
import { createActiveTokens } from './active-tokens.js';
import { type Bootstrapped, bootstrapFirstUser } from './bootstrap.js';
import { createExternalUsers } from './external-users.js';
import { createJwtAuthentication } from './jwt-authentication.js';
import { createLoginLimit } from './login-limit.js';
import { createOperatorCheck, type IsOperator } from './operator.js';
import { createPasswordHasher } from './password-hasher.js';
import type { PlanOf } from './plans.js';
import { createTokenAuthentication } from './token-authentication.js';
import { createTokenRoutes } from './token-routes.js';
import { createTokenService } from './token-service.js';
import { createTokenUseRecorder } from './token-use-recorder.js';
import { createUserRoutes } from './user-routes.js';
import { createUserService } from './user-service.js';

export type AccountsConfig = Pick<ControlplaneConfig, 'signup' | 'jwt' | 'bootstrapEmail' | 'bootstrapToken'>;

export interface AccountsDeps {
  readonly config: AccountsConfig;
  readonly database: Database;
  readonly logger: Logger;
  readonly planOf: PlanOf;
  /** What `GET /auth/user` shows of usage and subscription. */
  readonly standingOf: StandingOf;
  /** Where attempts to log in are counted. Default: in this process alone. */
  readonly rateLimits?: RateLimitStores;
  /** Unix time. Default: the system's clock. */
  readonly nowMs?: () => number;
  /** Least time between two fetches of the JWT issuer's keys. */
  readonly jwksCooldownMs?: number;
}

/** Users and their tokens. */
export interface Accounts {
  readonly authenticate: Authenticate;
  readonly routes: FastifyPluginAsync;
  readonly isOperator: IsOperator;
  /** Sees to the first user, as configured; `generate`: also when nothing is. See {@link bootstrapFirstUser}. */
  bootstrap(options: { readonly generate: boolean }): Promise<Bootstrapped>;
}

/**
 * Puts the area together. What its routes began in the background is done when the app that they are registered
 * with has closed.
 *
 * @throws {ConfigError} when the configured JWT key cannot be used
 */
export function createAccounts(deps: AccountsDeps): Accounts {
  const { config, database, logger, planOf, nowMs = Date.now } = deps;
  const activeTokens = createActiveTokens(database);
  const uses = createTokenUseRecorder({ database, logger, nowMs });
  const authenticateJwt =
    config.jwt &&
    createJwtAuthentication({
      config: config.jwt,
      users: createExternalUsers(database),
      planOf,
      nowMs,
      jwksCooldownMs: deps.jwksCooldownMs,
    });
  const tokens = createTokenService({ database, activeTokens, nowMs });
  const passwords = createPasswordHasher();
  const loginLimit = createLoginLimit(deps.rateLimits ?? createLocalRateLimitStores());
  const users = createUserService({ database, tokens, passwords, loginLimit, signup: config.signup });

  return {
    authenticate: createTokenAuthentication({ activeTokens, uses, planOf, nowMs, authenticateJwt }),
    routes: async (app) => {
      await app.register(createUserRoutes({ users, standingOf: deps.standingOf }));
      await app.register(createTokenRoutes({ tokens }));
      app.addHook('onClose', () => uses.settle());
    },
    isOperator: createOperatorCheck(database, config.bootstrapEmail),
    bootstrap: ({ generate }) =>
      bootstrapFirstUser(database, { email: config.bootstrapEmail, token: config.bootstrapToken, generate }),
  };
}
