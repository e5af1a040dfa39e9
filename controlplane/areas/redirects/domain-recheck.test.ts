import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database } from '../../storage/postgres/database.js';
import type { VerificationOutcome, VerificationResult } from '../domains/verification-outcome.js';
import { createDomainRecheck } from './domain-recheck.js';
import type { Redirect } from './redirect.js';
import type { PostponedCheck, RedirectRepository } from './redirect-repository.js';
import { createVerificationService } from './verification-service.js';

const logger = pino({ level: 'silent' });
const database = { query: async () => [] } as unknown as Database;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const redirect = (fromDomain: string) =>
  ({ id: fromDomain, userId: 'user', fromDomain, verifiedAt: null }) as Redirect;
const found = (kind: VerificationOutcome['kind']) => ({ kind, found: [] }) as unknown as VerificationResult;

/** Sets up checks of these lists of domains, one list per query. Later queries return nothing, or fail. */
function setUp(lists: readonly (readonly string[])[], error?: Error) {
  const due = [...lists];
  const postponed: PostponedCheck[] = [];
  const repository = {
    async takeDueForCheck() {
      const next = due.shift();
      if (next === undefined && error !== undefined) throw error;
      return (next ?? []).map(redirect);
    },
    async postponeChecks(_source: unknown, checks: readonly PostponedCheck[]) {
      postponed.push(...checks);
    },
  } as unknown as RedirectRepository;
  return { repository, postponed };
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `domain-${index}.example`);

it('many domains are looked up at once, but two at a time are marked verified', async () => {
  let lookups = 0;
  let commits = 0;
  const mostAtOnce = { lookups: 0, commits: 0 };
  let settled = 0;
  const outbox = {
    async commit() {
      commits += 1;
      mostAtOnce.commits = Math.max(mostAtOnce.commits, commits);
      await turn();
      commits -= 1;
      settled += 1;
      return found('verified');
    },
  } as unknown as RulesetOutbox;
  const verifier = {
    async check() {
      lookups += 1;
      mostAtOnce.lookups = Math.max(mostAtOnce.lookups, lookups);
      await turn();
      lookups -= 1;
      return found('verified');
    },
    isLocal: () => false,
  };
  const { repository } = setUp([names(40)]);
  const verification = createVerificationService({ database, outbox, verifier });
  expect(await createDomainRecheck({ database, repository, verification, logger }).runRound()).toBe(40);
  expect(settled).toBe(40);
  expect(mostAtOnce).toEqual({ lookups: 40, commits: 2 });
});

it('a round that fails waits for the checks it has begun', async () => {
  let ended = 0;
  const verification = {
    verify: async () => expect.unreachable(),
    async recheck() {
      for (let turns = 0; turns < 5; turns += 1) await turn();
      ended += 1;
      return found('recordMissing');
    },
  };
  const { repository } = setUp([names(3)], new Error('the database is away'));
  const recheck = createDomainRecheck({ database, repository, verification, logger });
  await expect(recheck.runRound()).rejects.toThrow('the database is away');
  expect(ended).toBe(3);
});

it('a domain whose zone is paused is postponed to the end of the pause, unasked', async () => {
  const asked: string[] = [];
  const verification = {
    verify: async () => expect.unreachable(),
    async recheck({ fromDomain }: Redirect) {
      asked.push(fromDomain);
      return found('timedOut');
    },
  };
  const { repository, postponed } = setUp([['a.example.com'], [], ['b.example.com', 'c.example.org']]);
  const recheck = createDomainRecheck({ database, repository, verification, logger });
  await recheck.runRound();
  await recheck.runRound();
  expect(asked).toEqual(['a.example.com', 'c.example.org']);
  expect(postponed).toEqual([{ redirectId: 'b.example.com', waitMs: expect.any(Number) }]);
  expect(postponed[0]!.waitMs).toBeGreaterThan(0);
  expect(postponed[0]!.waitMs).toBeLessThanOrEqual(30_000);
});
