import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../storage/postgres/new-id.js';
import { openTestDatabase, type TestDatabase } from '../../storage/postgres/test-database.fixture.js';
import { PLANS } from '../plans/default-plans.js';
import { bootstrapFirstUser, createOperatorCheck, DEFAULT_EMAIL } from './bootstrap.js';
import { type NewUser, userRepository } from './user-repository.js';

let own: TestDatabase;

beforeAll(async () => {
  own = await openTestDatabase();
});
afterAll(() => own.close());

async function addUser(user: Omit<NewUser, 'id'>) {
  const added = await userRepository.insert(own.database, { id: newId(), ...user });
  return { id: added!.id, email: added!.email, scopes: [], plan: PLANS.business };
}

describe('the operator', () => {
  it('is the first user, as it is made at the first start', async () => {
    await bootstrapFirstUser(own.database, { generate: true });
    const user = await userRepository.findByEmail(own.database, DEFAULT_EMAIL);
    const current = { id: user!.id, email: user!.email, scopes: [], plan: PLANS.free };
    expect(await createOperatorCheck(own.database, undefined)(current)).toBe(true);
    expect(await createOperatorCheck(own.database, 'someone@else.example')(current)).toBe(false);
  });

  it('is the user of BOOTSTRAP_EMAIL, in whichever case that is written', async () => {
    await bootstrapFirstUser(own.database, { email: 'ops@one.example', generate: true });
    const user = await userRepository.findByEmail(own.database, 'ops@one.example');
    const current = { id: user!.id, email: user!.email, scopes: [], plan: PLANS.free };
    expect(await createOperatorCheck(own.database, 'Ops@One.example')(current)).toBe(true);
  });

  it('is still the first user after it has set a password, and changed it', async () => {
    const { email } = await bootstrapFirstUser(own.database, { email: 'ops@five.example', generate: true });
    const user = await userRepository.findByEmail(own.database, email);
    const current = { id: user!.id, email: user!.email, scopes: [], plan: PLANS.free };
    expect(await userRepository.setFirstPassword(own.database, user!.id, 'hash')).toBe(true);
    expect(await createOperatorCheck(own.database, email)(current)).toBe(true);
    await userRepository.setPassword(own.database, user!.id, 'other hash');
    expect(await createOperatorCheck(own.database, email)(current)).toBe(true);
  });

  it.each([
    ['signed up with its address', { email: 'ops@two.example', passwordHash: 'hash' }, 'ops@two.example'],
    [
      'came by a JWT with its address',
      { email: 'ops@three.example', externalSubject: 's' },
      'ops@three.example',
    ],
    ['has another address', { email: 'ops@four.example' }, undefined],
    ['has no address', {}, undefined],
  ])('is nobody who %s', async (_what, user, operatorEmail) => {
    expect(await createOperatorCheck(own.database, operatorEmail)(await addUser(user))).toBe(false);
  });
});
