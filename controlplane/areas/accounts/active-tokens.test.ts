import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import { openTestDatabase, type TestDatabase } from '../../storage/postgres/test-database.fixture.js';
import { hashTokenSecret } from './access-token.js';
import { createActiveTokens } from './active-tokens.js';
import { tokenRepository } from './token-repository.js';
import { issueToken } from './token-service.js';
import { userRepository } from './user-repository.js';

let test: TestDatabase;
let database: Database;
let nowMs = 1;

beforeAll(async () => {
  test = await openTestDatabase();
  database = test.database;
});
afterAll(() => test.close());

async function newToken() {
  const userId = newId();
  await userRepository.insert(database, { id: userId, email: `${userId}@users.example` });
  return issueToken(database, { userId, name: 'test', scopes: [], expiresAt: null });
}

it('a token that another process deletes is taken for no longer than a second', async () => {
  const tokens = createActiveTokens(database, () => nowMs);
  const { secret, token } = await newToken();
  expect(await tokens.find(secret)).toBeDefined();
  await tokenRepository.delete(database, token.id);
  nowMs += 1_001;
  expect(await tokens.find(secret)).toBeUndefined();
});

it('a token in use does not outlive that second', async () => {
  const tokens = createActiveTokens(database, () => nowMs);
  const { secret, token } = await newToken();
  await tokens.find(secret);
  await tokenRepository.delete(database, token.id);
  nowMs += 900;
  expect(await tokens.find(secret)).toBeDefined();
  nowMs += 101;
  expect(await tokens.find(secret)).toBeUndefined();
});

it('a token that is deleted while it is read is not remembered', async () => {
  const tokens = createActiveTokens(database, () => nowMs);
  const { secret, token } = await newToken();
  const reading = tokens.find(secret);
  tokens.forget(hashTokenSecret(secret));
  await reading;
  await tokenRepository.delete(database, token.id);
  expect(await tokens.find(secret)).toBeUndefined();
});
