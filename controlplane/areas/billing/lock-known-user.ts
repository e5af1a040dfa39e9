import type { Queryable } from '../../storage/postgres/database.js';
import { userRepository } from '../accounts/public.js';
import { billingEventRepository } from './billing-event-repository.js';

/** Orders the events of one user until the transaction ends. Resolves to whether the user exists. */
export async function lockKnownUser(tx: Queryable, userId: string): Promise<boolean> {
  await billingEventRepository.lockUser(tx, userId);
  return (await userRepository.findById(tx, userId)) !== undefined;
}
