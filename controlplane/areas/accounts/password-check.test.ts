import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalRateLimitStores } from '../../http/rate-limit-store.js';
import { openTestDatabase, type TestDatabase } from '../../storage/postgres/test-database.fixture.js';
import { createLoginLimit } from './login-limit.js';
import { createPasswordCheck } from './password-check.js';
import { createPasswordHasher } from './password-hasher.js';
import { userRepository } from './user-repository.js';

let test: TestDatabase;

beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

it('hashes as often for an unknown address as for an old and a new account', async () => {
  const passwords = createPasswordHasher();
  const passwordHash = await passwords.hash('correct horse');
  for (const id of ['old', 'new']) {
    await userRepository.insert(test.database, { id, email: `${id}@example.com`, passwordHash });
  }
  await test.database.query(`UPDATE users SET password_is_exact = false WHERE id = 'old'`);
  let hashed = 0;
  const check = createPasswordCheck({
    database: test.database,
    loginLimit: createLoginLimit(createLocalRateLimitStores()),
    passwords: {
      ...passwords,
      matches(password, hash) {
        hashed += 1;
        return passwords.matches(password, hash);
      },
    },
  });
  for (const id of ['old', 'new', 'unknown']) {
    hashed = 0;
    await expect(check.ofAddress(`${id}@example.com`, ' wrong ', 'caller')).rejects.toMatchObject({
      code: 'INVALID_CREDENTIALS',
    });
    expect(hashed, id).toBe(2);
  }
  await expect(check.ofAddress('old@example.com', ' correct horse ', 'caller')).resolves.toMatchObject({
    user: { id: 'old' },
  });
});
