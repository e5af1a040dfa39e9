import { parseOptions } from '@node-rs/argon2';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../errors/app-error.js';
import { createPasswordHasher } from './password-hasher.js';

const PASSWORD = 'correct horse battery';
const MIN_ROUNDS = 7;
const MAX_ROUNDS = 100;

describe('a password hash', () => {
  it('is Argon2id with the parameters that OWASP recommends', async () => {
    const passwordHash = await createPasswordHasher().hash(PASSWORD);
    expect(passwordHash).toMatch(/^\$argon2id\$/);
    expect(parseOptions(passwordHash)).toMatchObject({ memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  });

  it('matches its password and no other', async () => {
    const hasher = createPasswordHasher();
    const passwordHash = await hasher.hash(PASSWORD);
    expect(await hasher.matches(PASSWORD, passwordHash)).toBe(true);
    for (const other of ['', 'Correct horse battery', `${PASSWORD} `]) {
      expect(await hasher.matches(other, passwordHash), other).toBe(false);
    }
  });

  it('differs each time', async () => {
    const hasher = createPasswordHasher();
    expect(await hasher.hash(PASSWORD)).not.toBe(await hasher.hash(PASSWORD));
  });

  it('that does not exist takes about as long to check as one that does', async () => {
    const hasher = createPasswordHasher();
    const passwordHash = await hasher.hash(PASSWORD);
    const fastestMs = { unknown: Number.POSITIVE_INFINITY, known: Number.POSITIVE_INFINITY };
    // A skipped check takes a thousandth of the time.
    const isAlike = (ratio: number) => ratio > 0.4 && ratio < 2.5;
    // Other work on the machine can only slow checks down, so more rounds never hide a skipped check.
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      if (round >= MIN_ROUNDS && isAlike(fastestMs.unknown / fastestMs.known)) break;
      for (const which of ['unknown', 'known'] as const) {
        const startMs = performance.now();
        const stored = which === 'known' ? passwordHash : undefined;
        expect(await hasher.matches('a wrong password', stored)).toBe(false);
        fastestMs[which] = Math.min(fastestMs[which], performance.now() - startMs);
      }
    }
    expect(fastestMs.unknown / fastestMs.known).toSatisfy(isAlike);
  });
});

describe('many at once', () => {
  it('wait for their turn, and beyond the bound are sent away', async () => {
    const hasher = createPasswordHasher({ maxConcurrent: 1, maxQueued: 2 });
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => hasher.hash(PASSWORD)));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    const refusal = results[4]?.status === 'rejected' ? results[4].reason : undefined;
    expect(refusal).toBeInstanceOf(AppError);
    expect(refusal).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
  });

  it('leave every place free again, also after a failure', async () => {
    const hasher = createPasswordHasher({ maxConcurrent: 1, maxQueued: 1 });
    const broken = [hasher.matches(PASSWORD, 'no hash at all'), hasher.matches(PASSWORD, 'nor this')];
    expect((await Promise.allSettled(broken)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const results = await Promise.allSettled([hasher.hash(PASSWORD), hasher.hash(PASSWORD)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });
});
