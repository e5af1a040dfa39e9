import { useQuery } from '@tanstack/preact-query';
import { queryOf, useChange } from './queries';
import { request } from './request';

export const SCOPES = [
  'redirects:read',
  'redirects:write',
  'analytics:read',
  'billing:read',
  'billing:write',
  'tokens:write',
] as const;

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly string[];
  /** null if the token does not expire. */
  readonly expiresInDays: number | null;
}

const tokensKey = ['tokens'];
export const sessionsKey = ['sessions'];

/** Reads the named access tokens. The API's list also has log-ins, which the console shows as sessions. */
export function useTokens() {
  return useQuery({
    queryKey: tokensKey,
    async queryFn({ signal }) {
      const [{ tokens }, { sessions }] = await Promise.all([
        request('GET', '/auth/tokens', { signal }),
        request('GET', '/auth/sessions', { signal }),
      ]);
      const logIns = new Set(sessions.map(({ id }) => id));
      return tokens.filter(({ id }) => !logIns.has(id));
    },
  });
}

export const useTokenChanges = () => ({
  create: useChange((body: NewToken) => request('POST', '/auth/tokens', { body }), tokensKey),
  remove: useChange((id: string) => request('DELETE', '/auth/tokens/{id}', { params: { id } }), tokensKey),
});

export const useSessions = () => useQuery(queryOf(sessionsKey, '/auth/sessions'));

export const useSessionChanges = () => ({
  end: useChange((id: string) => request('DELETE', '/auth/sessions/{id}', { params: { id } }), sessionsKey),
  endOthers: useChange(() => request('DELETE', '/auth/sessions'), sessionsKey),
});
