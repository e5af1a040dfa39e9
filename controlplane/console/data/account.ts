import { useQuery } from '@tanstack/preact-query';
import { queryOf } from './queries';

export const accountKey = ['account'] as const;

/** The user of the session, with plan and usage. */
export const useAccount = () => useQuery(queryOf(accountKey, '/auth/user'));
