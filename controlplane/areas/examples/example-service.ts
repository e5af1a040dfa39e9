import { createHttpsUpgrade } from '../../../shared/ruleset/https-upgrade.js';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import { type Precondition, requirePrecondition } from '../../http/entity-tags.js';
import type { Database } from '../../storage/postgres/database.js';
import { createTurns } from '../../storage/postgres/turns.js';
import { parseDateField, type Redirect, type RedirectService, recordAside } from '../redirects/public.js';
import { readAddress, type VisitorInsight } from '../rules/public.js';
import { describeAll, explainAll, judgeAll } from './check-examples.js';
import { exampleRepository, type StoredExamples } from './example-repository.js';
import type { Example, ExampleDraft } from './example-schema.js';
import type { JudgedExample } from './judge-example.js';
import { type DraftedState, draftedState, type ServedState, storedState } from './served-state.js';
import { readTarget } from './visit.js';

/** Maximum runs of a user that wait for the current one. */
const MAX_WAITING_PER_USER = 1;
const RETRY_AFTER_SECONDS = 5;

/** An example that was run. */
export interface RunExample extends JudgedExample {
  /** Null if it passes. */
  readonly message: string | null;
}

/** Examples that were run on a state of the redirect. */
export interface ExampleRun {
  readonly state: ServedState;
  readonly results: readonly RunExample[];
  /** Sources of the paths that decide, by id. */
  readonly sources: ReadonlyMap<number, string>;
}

/**
 * Examples of a user's redirects. Each function throws `AppError` NOT_FOUND for an unknown resource and FORBIDDEN for
 * redirects of other users.
 */
export interface ExampleService {
  get(user: CurrentUser, redirectId: string): Promise<StoredExamples>;
  /**
   * Replaces all examples. They may fail.
   *
   * @param precondition names the version with an `e` in front
   * @throws {AppError} VALIDATION_ERROR naming the field, PRECONDITION_FAILED
   */
  put(
    user: CurrentUser,
    redirectId: string,
    examples: readonly Example[],
    precondition?: Precondition,
  ): Promise<StoredExamples>;
  /**
   * Runs the examples on the current redirect or on a draft.
   *
   * @param draft `true` for the stored draft
   * @throws {AppError} the errors of an invalid draft, RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE if the client leaves
   */
  run(
    user: CurrentUser,
    redirectId: string,
    draft: ExampleDraft | true | undefined,
    signal: AbortSignal,
  ): Promise<ExampleRun>;
}

export interface ExampleServiceDeps {
  readonly database: Database;
  readonly redirects: Pick<RedirectService, 'requireOwned' | 'requireOwnedForUpdate'>;
  readonly insight: VisitorInsight;
  /** Public port of HTTPS. Default: 443. */
  readonly publicHttpsPort?: number;
  /** Returns the redirect as a draft would change it. */
  readonly tryDraft: (
    user: CurrentUser,
    redirectId: string,
    draft: ExampleDraft | true,
  ) => Promise<DraftedState>;
  readonly clock?: () => Date;
}

/** Returns the version of examples in the form of their tags, which differs from that of a redirect. */
export function tagVersion({ version }: Pick<StoredExamples, 'version'>): `e${number}` {
  return `e${version}`;
}

export function createExampleService(deps: ExampleServiceDeps): ExampleService {
  const { database, redirects, insight, tryDraft, clock = () => new Date() } = deps;
  const upgrade = createHttpsUpgrade(deps.publicHttpsPort);
  const turns = createTurns(MAX_WAITING_PER_USER);

  async function runOn(redirect: Redirect, drafted: DraftedState | undefined): Promise<ExampleRun> {
    const { examples } = await exampleRepository.find(database, redirect.id);
    const described = await describeAll(examples, redirect.fromDomain, insight, clock(), upgrade);
    const visits = described.map(({ visit }) => visit);
    const state = await (drafted === undefined
      ? storedState(database, redirect, visits)
      : draftedState(database, drafted, visits));
    const judged = await judgeAll(state, described);
    const failed = judged.filter(({ passes }) => !passes);
    const messages = (await explainAll(state, failed)).values();
    const results = judged.map((one) => ({
      ...one,
      message: one.passes ? null : (messages.next().value ?? ''),
    }));
    const ids = results.flatMap(({ received }) => received.map(({ entryId }) => entryId));
    return { state, results, sources: await state.sourcesOf([...new Set(ids)].filter((id) => id > 0)) };
  }

  return {
    async get(user, redirectId) {
      await redirects.requireOwned(redirectId, user.id);
      return exampleRepository.find(database, redirectId);
    },

    put: (user, redirectId, examples, precondition) =>
      database.transaction(async (tx) => {
        const redirect = await redirects.requireOwnedForUpdate(tx, redirectId, user.id);
        const before = await exampleRepository.find(tx, redirectId);
        requirePrecondition(precondition, tagVersion(before));
        requireReadable(redirect, examples);
        const version = await exampleRepository.replace(tx, redirectId, examples);
        const summary = `Replaced the examples: ${before.examples.length} before, ${examples.length} now`;
        await recordAside(tx, redirect, user, 'examples.replaced', summary);
        return { version, examples };
      }),

    async run(user, redirectId, draft, signal) {
      const redirect = await redirects.requireOwned(redirectId, user.id);
      const endTurn = await turns.take(user.id, signal);
      if (endTurn === undefined) throw tooMany();
      try {
        return await runOn(redirect, draft && (await tryDraft(user, redirectId, draft)));
      } finally {
        endTurn();
      }
    },
  };
}

/** @throws {AppError} VALIDATION_ERROR naming the first field that is wrong */
function requireReadable({ fromDomain }: Redirect, examples: readonly Example[]): void {
  const names = new Set<string>();
  for (const [index, { name, request, expect }] of examples.entries()) {
    const field = `examples.${index}`;
    if (names.has(name)) {
      throw refused(`${field}.name`, 'must be unique: an earlier example has this name');
    }
    names.add(name);
    readTarget(request.url, fromDomain, `${field}.request.url`);
    parseDateField(request.at ?? null, `${field}.request.at`, 'start');
    readAddress(request.userAttributes?.ip_address, `${field}.request.userAttributes.ip_address`);
    if (expect.noMatch === true && expect.ruleName !== undefined) {
      throw refused(`${field}.expect.noMatch`, 'must be left out if a rule is expected');
    }
  }
}

function refused(field: string, rest: string): AppError {
  return new AppError('VALIDATION_ERROR', { field, message: `${field} ${rest}.` });
}

function tooMany(): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', {
    message: 'A run of examples of yours is under way and another one waits; retry when they are done.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
