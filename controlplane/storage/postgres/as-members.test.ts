import { expect, it } from 'vitest';
import { asMembers, membersFor } from './as-members.js';

it('names columns as members', () => {
  expect(asMembers('id, user_id,\n  past_due_since, state')).toBe(
    'id, user_id AS "userId", past_due_since AS "pastDueSince", state',
  );
  expect(asMembers('id, user_id', 'users')).toBe('users.id, users.user_id AS "userId"');
});

it('orders members like columns, and refuses a record that lacks one', () => {
  expect(membersFor('id, past_due_since', { pastDueSince: null, id: 'a', other: 1 })).toEqual(['a', null]);
  expect(() => membersFor('id, state', { id: 'a' })).toThrow('no value for the column state');
});
