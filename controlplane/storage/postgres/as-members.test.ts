import { expect, it } from 'vitest';
import { asMembers } from './as-members.js';

it('names columns as members', () => {
  expect(asMembers('id, user_id,\n  past_due_since, state')).toBe(
    'id, user_id AS "userId", past_due_since AS "pastDueSince", state',
  );
});
