import { pino } from 'pino';
import { beforeEach, expect, it, vi } from 'vitest';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import { changesIn, openChunk } from '../../shared/ruleset/ruleset-chunk.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { type BuiltRuleset, createRulesetBuilder, isToBeRebuilt } from './ruleset-builder.js';
import type { RulesetRepository } from './ruleset-repository.js';

const HOSTS = 10;
const logger = pino({ level: 'silent' });
let head: RulesetVersion;
let changed: string[];
/** Done before each page is read. */
let beforePage: (page: number) => Promise<unknown>;
let pages: number;

beforeEach(() => {
  head = { epoch: 1, seq: 5 };
  changed = [];
  pages = 0;
  beforePage = async () => {};
});

const redirectOf = (host: string): RedirectDefinition => ({
  id: host,
  host,
  destination: 'https://new.example',
  redirectType: 'permanent',
  pathForwarding: false,
  queryForwarding: false,
  samplingRate: 1,
});

/** A database of ten hosts, with one host per page. The hosts given to `change` have changed since the last delta. */
const repository: RulesetRepository = {
  readHead: async () => head,
  count: async () => HOSTS,
  countLines: async () => HOSTS,
  async readPage(after) {
    pages += 1;
    await beforePage(pages);
    const next = after === '' ? 0 : Number(after) + 1;
    return next < HOSTS
      ? { redirects: [redirectOf(String(next))], last: String(next) }
      : { redirects: [], last: undefined };
  },
  readPathPages: async () => [],
  readHosts: async (hosts) => hosts.map((host) => ({ host, redirect: redirectOf(host) })),
  readChangedHosts: async () => (head.epoch === 1 ? { version: head, hosts: changed.splice(0) } : undefined),
  async readDelta(since) {
    if (since.epoch !== head.epoch) return undefined;
    const changes = changed.splice(0).map((host) => ({ host, redirect: redirectOf(host) }));
    return { version: head, previousSeq: since.seq, changes, commits: changes.map(() => null) };
  },
  trimChanges: async () => {},
};

async function hostsOf({ manifest, chunks }: BuiltRuleset): Promise<string[]> {
  const hosts: string[] = [];
  for (const [index, { bytes }] of chunks.entries()) {
    for (const change of changesIn(await openChunk(bytes, manifest.chunks[index]!, true)))
      if (!('refusal' in change)) hosts.push(change.host);
  }
  return hosts;
}

it('everybody who asks meanwhile gets one build, each chunk once and in order', async () => {
  const builder = createRulesetBuilder({ repository, logger });
  const taken: number[] = [];
  let joined: Promise<BuiltRuleset> | undefined;
  const late: number[] = [];
  beforePage = async (page) => {
    if (page === 5) joined = builder.build(async (_id, _chunk, index) => void late.push(index));
  };
  const built = await builder.build(async (_id, _chunk, index) => void taken.push(index));
  expect((await joined)?.manifest).toEqual(built.manifest);
  expect(taken).toEqual(built.chunks.map((_, index) => index));
  expect(late).toEqual(taken);
  expect(pages).toBe(HOSTS + 1);
  expect(await hostsOf(built)).toEqual(Array.from({ length: HOSTS }, (_, index) => String(index)));
  expect(built.manifest).toMatchObject({ version: head, count: HOSTS, appended: 0 });
});

it('what an attempt has read is not read again by the next one', async () => {
  const builder = createRulesetBuilder({ repository, logger });
  beforePage = async (page) => {
    if (page === 6) throw new Error('the database is away');
  };
  await expect(builder.build()).rejects.toThrow('away');
  expect(builder.progress()).toBeUndefined();
  const built = await builder.build();
  expect(pages).toBe(HOSTS + 2);
  expect(await hostsOf(built)).toHaveLength(HOSTS);
});

it('a reader that fails does not end the build of the others', async () => {
  const builder = createRulesetBuilder({ repository, logger });
  const failing = builder.build(() => Promise.reject(new Error('Redis is full')));
  const other = builder.build();
  await expect(failing).rejects.toThrow('Redis is full');
  expect((await other).manifest.count).toBe(HOSTS);
});

it('a build that is asked for again is the one before and what has changed since', async () => {
  const builder = createRulesetBuilder({ repository, logger });
  const first = await builder.build();
  head = { epoch: 1, seq: 6 };
  changed = ['3'];
  const second = await builder.build();
  expect(pages).toBe(HOSTS + 1);
  expect(second.manifest).toMatchObject({
    id: first.manifest.id,
    version: head,
    count: HOSTS + 1,
    appended: 1,
  });
  expect(await hostsOf(second)).toEqual([...(await hostsOf(first)), '3']);
});

it('a build that a new epoch has overtaken is made anew', async () => {
  const builder = createRulesetBuilder({ repository, logger });
  const first = await builder.build();
  head = { epoch: 2, seq: 0 };
  const second = await builder.build();
  expect(second.manifest.id).not.toBe(first.manifest.id);
  expect(second.manifest).toMatchObject({ version: head, count: HOSTS });
});

it('says how far it is, and ends when the control plane stops', async () => {
  const builder = createRulesetBuilder({ repository, logger });
  beforePage = async (page) => {
    if (page !== 4) return;
    expect(builder.progress()).toEqual({ redirects: 3, of: HOSTS });
    builder.stop();
  };
  await expect(builder.build()).rejects.toThrow('is stopping');
  await vi.waitFor(() => expect(builder.progress()).toBeUndefined());
});

it.each([
  { outdated: 0, count: 1, isDue: false },
  { outdated: 2_000, count: 2_000, isDue: false },
  { outdated: 2_001, count: 8_000, isDue: true },
  { outdated: 2_001, count: 9_000, isDue: false },
  { outdated: 300_000, count: 1_100_000, isDue: true },
])('$outdated outdated lines of $count: rebuilt $isDue', ({ isDue, ...lines }) => {
  expect(isToBeRebuilt(lines)).toBe(isDue);
});

it('a build with a page that could not be encoded is not continued', async () => {
  const unencodable = { ...redirectOf('3'), samplingRate: 1n as unknown as number };
  const readPage: RulesetRepository['readPage'] = async (after, limit) => {
    const page = await repository.readPage(after, limit);
    return page.last === '3' && pages < HOSTS ? { ...page, redirects: [unencodable] } : page;
  };
  const builder = createRulesetBuilder({ repository: { ...repository, readPage }, logger });
  await expect(builder.build()).rejects.toThrow('BigInt');
  pages = HOSTS;
  expect(await hostsOf(await builder.build())).toEqual(
    Array.from({ length: HOSTS }, (_, index) => String(index)),
  );
});
