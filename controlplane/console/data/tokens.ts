import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
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
  /** `null`: it has no end. */
  readonly expiresInDays: number | null;
}

const tokensKey = ['tokens'];
const sessionsKey = ['sessions'];

/** Access tokens that were created by name. The API lists log-ins among them; these are sessions. */
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

export function useTokenChanges() {
  const client = useQueryClient();
  const refresh = () => void client.invalidateQueries({ queryKey: tokensKey });
  return {
    create: useMutation({
      mutationFn: (body: NewToken) => request('POST', '/auth/tokens', { body }),
      onSuccess: refresh,
    }),
    remove: useMutation({
      mutationFn: (id: string) => request('DELETE', '/auth/tokens/{id}', { params: { id } }),
      onSuccess: refresh,
    }),
  };
}

export function useSessions() {
  return useQuery({
    queryKey: sessionsKey,
    queryFn: ({ signal }) => request('GET', '/auth/sessions', { signal }),
  });
}

export function useSessionChanges() {
  const client = useQueryClient();
  const refresh = () => void client.invalidateQueries({ queryKey: sessionsKey });
  return {
    end: useMutation({
      mutationFn: (id: string) => request('DELETE', '/auth/sessions/{id}', { params: { id } }),
      onSuccess: refresh,
    }),
    endOthers: useMutation({
      mutationFn: () => request('DELETE', '/auth/sessions'),
      onSuccess: refresh,
    }),
  };
}
