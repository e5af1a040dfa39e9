import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import { stateOf } from '../../current-state.js';
import type { ApiAnswer, TestApiOptions, TestUser } from '../../http/api.fixture.js';
import { createTestProducer, type HitOptions } from '../../ingest/hit-batch.fixture.js';
import { createHitWriter } from '../../ingest/hit-writer.js';
import { createRejectedBatches } from '../../ingest/rejected-batches.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import {
  createTestStore,
  silentLogger,
  type TestStore,
} from '../../storage/clickhouse/analytics-store.fixture.js';
import type { Definition } from '../drafts/definition.js';
import { noDraft } from '../drafts/draft.js';
import { draftRepository } from '../drafts/draft-repository.js';
import { createPathRoutes } from '../paths/path-routes.js';
import { createPathService } from '../paths/path-service.js';
import { createPathTest } from '../paths/path-test.js';
import { type RulesApi, startRulesApi } from '../rules/rules-api.fixture.js';
import { judgeInPlace } from './judging.fixture.js';
import type { ReplayRunner } from './replay-runner.js';
import { createReplays } from './replays.js';

export interface ReplayApi extends RulesApi {
  readonly test: TestStore;
  readonly runner: ReplayRunner;
  /** Adds another runner, as a second control plane has one. */
  createRunner(): ReplayRunner;
  /** Stores hits as one data plane's batch. */
  record(hits: readonly HitOptions[]): Promise<void>;
  /** Returns the version of the ruleset that is served now, as hits name it. */
  servedRuleset(): Promise<string>;
  /** Stores a draft. */
  writeDraft(user: TestUser, redirectId: string, definition: Definition): Promise<void>;
  /** Requests a replay. */
  ask(user: TestUser, redirectId: string, body?: object): Promise<ApiAnswer>;
  /** Requests a replay, expects that it is accepted, and works until it ends. */
  run(user: TestUser, redirectId: string, body?: object): Promise<ApiAnswer['json']>;
}

/** Time of the API's clock. Hits are kept for 60 days. */
export const NOW = new Date('2026-02-10T10:00:00.000Z');
export const PERIOD = { start: '2026-01-31', end: '2026-02-02' };

/** The areas of replays, redirects, rules and paths on real stores. Nothing runs in the background. */
export async function startReplayApi(options: Pick<TestApiOptions, 'app'> = {}): Promise<ReplayApi> {
  const test = await createTestStore();
  const producer = createTestProducer('run1');
  const writer = createHitWriter({
    store: test.store,
    rejected: createRejectedBatches(`${test.dataDir}/rejected`),
    logger: silentLogger,
  });
  let createRunner: (() => ReturnType<typeof createReplays>) | undefined;
  let runner: ReplayRunner | undefined;
  let writeDraft: ReplayApi['writeDraft'] | undefined;
  const rulesApi = await startRulesApi({
    ...options,
    areas({ database, redirects, logger }) {
      const deps = { database, outbox: createRulesetOutbox(database), redirects };
      createRunner = () =>
        createReplays({
          database,
          store: test.store,
          redirects,
          retentionDaysOf: async () => 60,
          clock: () => NOW,
          stateOf,
          startJudging: judgeInPlace,
          async draftOf(_, redirectId) {
            const draft = await draftRepository.find(database, redirectId);
            if (draft === undefined) throw noDraft();
            return draft.definition;
          },
          logger,
        });
      writeDraft = async (user, redirectId, definition) =>
        draftRepository.write(database, {
          redirectId,
          userId: user.id,
          definition,
          baseVersion: 1,
          writtenBy: { id: user.id, email: user.email, tokenId: 'token', address: '127.0.0.1' },
        });
      const replays = createRunner();
      runner = replays.runner;
      return [
        ...replays.routes,
        createPathRoutes({
          service: createPathService(deps),
          test: createPathTest({ ...deps, guard: createRegexGuard() }),
          hitsOf: async () => new Map(),
        }),
      ];
    },
  });
  const { api } = rulesApi;
  const ask: ReplayApi['ask'] = ({ token }, redirectId, body) =>
    api.call('POST', `/redirects/${redirectId}/replay`, { token, body: { ...PERIOD, ...body } });

  return {
    ...rulesApi,
    test,
    runner: runner!,
    writeDraft: writeDraft!,
    createRunner: () => createRunner!().runner,
    async record(hits) {
      const outcome = await writer.write(producer.batch(hits));
      if (outcome.status !== 'stored') throw new Error(`the batch is ${outcome.status}`);
    },
    async servedRuleset() {
      const [head] = await api.database.query<{ epoch: number; seq: number }>(
        'SELECT epoch, seq FROM ruleset_head',
      );
      return `${head?.epoch}.${head?.seq}`;
    },
    ask,
    async run(user, redirectId, body) {
      const { status, json, body: text } = await ask(user, redirectId, body);
      if (status !== 202) throw new Error(text);
      await runner!.runRound();
      return (await api.call('GET', `/replays/${json.id}`, { token: user.token })).json;
    },
    async close() {
      await rulesApi.close();
      await test.remove();
    },
  };
}
