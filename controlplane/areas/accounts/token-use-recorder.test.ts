import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Queryable } from '../../storage/postgres/database.js';
import { createTokenUseRecorder } from './token-use-recorder.js';

const START_MS = Date.UTC(2026, 0, 1);

function setUp({ lastUsedAt = null, fails = false }: { lastUsedAt?: Date | null; fails?: boolean } = {}) {
  const written: unknown[] = [];
  const database: Queryable = {
    async query(_sql, params = []) {
      written.push(params[1]);
      if (fails) throw new Error('the database is gone');
      return [];
    },
  };
  const logged: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => logged.push(line) });
  let nowMs = START_MS;
  const recorder = createTokenUseRecorder({ database, logger, nowMs: () => nowMs });
  const token = {
    id: 'a',
    userId: 'u',
    name: 'n',
    hash: Buffer.alloc(32),
    scopes: [],
    expiresAt: null,
    lastUsedAt,
    createdAt: new Date(START_MS),
    isSession: false,
    isCookie: false,
    userAgent: null,
  };
  return {
    written,
    logged,
    settle: () => recorder.settle(),
    useAt(ms: number, id = 'a') {
      nowMs = START_MS + ms;
      recorder.record({ ...token, id });
    },
  };
}

describe('recording the use of tokens', () => {
  it('writes each token once a minute, however often it is used', async () => {
    const { useAt, settle, written } = setUp();
    for (const ms of [0, 1, 30_000, 59_999, 60_000, 60_001, 119_999, 120_000]) useAt(ms);
    await settle();
    expect(written).toEqual([0, 60_000, 120_000].map((ms) => new Date(START_MS + ms)));
  });

  it('keeps tokens apart', async () => {
    const { useAt, settle, written } = setUp();
    for (const id of ['a', 'b', 'a', 'b']) useAt(0, id);
    await settle();
    expect(written).toHaveLength(2);
  });

  it('leaves out what another process has just written', async () => {
    const { useAt, settle, written } = setUp({ lastUsedAt: new Date(START_MS) });
    useAt(59_999);
    await settle();
    expect(written).toEqual([]);
  });

  it('logs that the database cannot be written, and goes on', async () => {
    const { useAt, settle, written, logged } = setUp({ fails: true });
    useAt(0);
    await settle();
    useAt(60_000);
    await settle();
    expect(written).toHaveLength(2);
    expect(logged.join()).toContain('the database is gone');
  });
});
