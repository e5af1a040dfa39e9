import type { ControlplaneConfig } from '../../../shared/config/config.js';
import type { Area, AreaParts } from '../../area.js';
import type { Authenticate } from '../../http/authentication.js';
import type { IsOperator } from '../../http/current-user.js';
import { createLocalRateLimitStores, type RateLimitStores } from '../../http/rate-limit-store.js';
import type { RoundWork } from '../../jobs/background-work.js';
import type { PlanOf } from '../../plan.js';
import { type AccountErasureDeps, createAccountErasure } from './account-erasure.js';
import type { StandingOf } from './account-standing.js';
import { createActiveTokens } from './active-tokens.js';
import { createAfterAnswer } from './after-answer.js';
import { type Bootstrapped, bootstrapFirstUser, createOperatorCheck, DEFAULT_EMAIL } from './bootstrap.js';
import { createDeletionRoutes } from './deletion-routes.js';
import { createDeletionService } from './deletion-service.js';
import { createExternalUsers } from './external-users.js';
import { createJwtAuthentication } from './jwt-authentication.js';
import type { LeaverSubscriptions } from './leaver-subscriptions.js';
import { createLinkPages } from './link-pages.js';
import { createLoginLimit } from './login-limit.js';
import { createMailLinks } from './mail-links.js';
import { createPasswordCheck } from './password-check.js';
import { createPasswordHasher } from './password-hasher.js';
import { createPasswordRoutes } from './password-routes.js';
import { createPasswordService } from './password-service.js';
import { createBrowserSessionRoutes, createSessionRoutes } from './session-routes.js';
import { createSignInCodes } from './sign-in-codes.js';
import { createStandingPasses, type StandingPasses } from './standing-passes.js';
import { createTokenAuthentication } from './token-authentication.js';
import { createTokenRoutes } from './token-routes.js';
import { createTokenService } from './token-service.js';
import { createTokenUseRecorder } from './token-use-recorder.js';
import { normalizeEmail } from './user.js';
import { userRepository } from './user-repository.js';
import { createUserRoutes } from './user-routes.js';
import { createUserService } from './user-service.js';

export type AccountsConfig = Pick<
  ControlplaneConfig,
  'signup' | 'jwt' | 'bootstrapEmail' | 'bootstrapToken' | 'publicApiUrl' | 'dashboardUrl' | 'hasConsole'
>;

/**
 * Maximum concurrent hashes of log-ins. They use two of libuv's four threads, and new passwords use one. The fourth
 * stays free for files and name look-ups.
 */
const MAX_LOGINS_HASHED = 2;
const MAX_NEW_HASHED = 1;

export interface AccountsDeps extends Pick<AreaParts, 'database' | 'logger' | 'mails' | 'outbox'> {
  readonly config: AccountsConfig;
  readonly planOf: PlanOf;
  /** Deletes the statistics of redirects. */
  readonly eraseHits: AccountErasureDeps['eraseHits'];
  readonly subscriptions: LeaverSubscriptions;
  /** URL of the API. Links in mails begin with it if there is no dashboard. */
  readonly apiAddress: () => string;
  /** Usage and subscription that `GET /auth/user` shows. */
  readonly standingOf: StandingOf;
  /** Counters of log-in attempts. Default: counters in this process. */
  readonly rateLimits?: RateLimitStores;
  /** Default: Argon2id. */
  readonly createHasher?: typeof createPasswordHasher;
  /** Maximum time between an answer and the mail that it announces. Default: a second. */
  readonly maxMailDelayMs?: number;
  /** Unix time. Default: the system's clock. */
  readonly nowMs?: () => number;
  /** Least time between two fetches of the JWT issuer's keys. */
  readonly jwksCooldownMs?: number;
}

/** Users and their tokens. */
export interface Accounts extends Area {
  readonly authenticate: Authenticate;
  readonly isOperator: IsOperator;
  readonly erasure: RoundWork<number>;
  readonly standingPasses: StandingPasses;
  /** Makes this process look up the state of users again, because it changed. */
  standingChanged(): void;
  /**
   * Creates the configured first user. With `generate`, creates one even if none is configured. See
   * {@link bootstrapFirstUser}.
   */
  bootstrap(options: { readonly generate: boolean }): Promise<Bootstrapped>;
  /** Creates a code that signs a browser in as the first user. Resolves to undefined without such a user. */
  createSignInCode(): Promise<string | undefined>;
}

/**
 * Creates the area. Its routes finish their background work before the app closes.
 *
 * @throws {ConfigError} when the configured JWT key is unusable
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
  const tokens = createTokenService({
    database,
    activeTokens,
    nowMs,
    maxJwtTokenDays: config.jwt?.maxTokenDays ?? Number.POSITIVE_INFINITY,
  });
  const rateLimits = deps.rateLimits ?? createLocalRateLimitStores();
  const { createHasher = createPasswordHasher } = deps;
  const passwords = createHasher({ maxConcurrent: MAX_NEW_HASHED });
  const passwordCheck = createPasswordCheck({
    database,
    passwords: createHasher({ maxConcurrent: MAX_LOGINS_HASHED }),
    loginLimit: createLoginLimit(rateLimits),
  });
  const links = createMailLinks({
    mails: deps.mails,
    rateLimits,
    baseUrl: () => config.dashboardUrl ?? deps.apiAddress(),
  });
  const { delivery } = links;
  const afterAnswer = createAfterAnswer(logger, deps.maxMailDelayMs);
  const parts = { database, tokens, passwordCheck, passwords, links, afterAnswer };
  const codes = createSignInCodes(nowMs);
  const users = createUserService({ ...parts, codes, signup: config.signup });
  const passwordService = createPasswordService({ ...parts, activeTokens });
  const isOperator = createOperatorCheck(database, config.bootstrapEmail);
  const standingPasses = createStandingPasses(deps);
  const deletion = createDeletionService({
    ...{ ...parts, activeTokens, isOperator, logger },
    passes: standingPasses,
    outbox: deps.outbox,
    subscriptions: deps.subscriptions,
  });
  const erasure = createAccountErasure(deps);
  const isBehindTls = config.publicApiUrl?.startsWith('https:') ?? false;

  return {
    authenticate: createTokenAuthentication({
      activeTokens,
      uses,
      planOf,
      nowMs,
      authenticateJwt,
    }),
    routes: [
      async (app) => {
        await app.register(createUserRoutes({ users, standingOf: deps.standingOf, isOperator, delivery }));
        await app.register(createSessionRoutes({ users, tokens, isBehindTls }));
        await app.register(createBrowserSessionRoutes({ users, isBehindTls }));
        await app.register(createPasswordRoutes(passwordService, delivery));
        await app.register(createLinkPages({ users, passwords: passwordService, ...config }));
        await app.register(createDeletionRoutes(deletion));
        await app.register(createTokenRoutes(tokens));
        app.addHook('onClose', async () => {
          await Promise.all([uses.settle(), afterAnswer.settle()]);
        });
      },
    ],
    jobs: [deps.mails, erasure, standingPasses],
    erasure,
    standingPasses,
    standingChanged: () => activeTokens.forgetAll(),
    isOperator,
    async createSignInCode() {
      const email = normalizeEmail(config.bootstrapEmail ?? DEFAULT_EMAIL);
      const first = await userRepository.findByEmail(database, email);
      return first && (await isOperator(first)) ? codes.create(first.id) : undefined;
    },
    bootstrap: ({ generate }) =>
      bootstrapFirstUser(database, { email: config.bootstrapEmail, token: config.bootstrapToken, generate }),
  };
}
