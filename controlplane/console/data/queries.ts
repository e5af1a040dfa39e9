import { useMutation, useQueryClient } from '@tanstack/preact-query';
import type { Answer, Operation, PathOf } from '@waymark/client';
import { type OptionsArgument, sendTagged } from './request';

type Key = readonly unknown[];

/** Returns options of `useQuery` that read one path of the API. */
export function queryOf<P extends PathOf<'GET'> & string>(
  queryKey: Key,
  path: P,
  ...[options]: OptionsArgument<Operation<'GET', P>>
) {
  return {
    queryKey,
    async queryFn({ signal }: { readonly signal: AbortSignal }): Promise<Answer<Operation<'GET', P>>> {
      return (await sendTagged<Operation<'GET', P>>('GET', path, { ...options, signal })).data;
    },
  };
}

/** Returns a function that reloads the queries whose keys begin with one of `keys`. */
export function useRefresh(...keys: readonly Key[]): () => Promise<unknown> {
  const client = useQueryClient();
  return () => Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}

/** Returns a mutation. Afterwards it reloads the queries whose keys begin with one of `keys`. */
export function useChange<V = void, T = unknown>(
  mutationFn: (variables: V) => Promise<T>,
  ...keys: readonly Key[]
) {
  const refresh = useRefresh(...keys);
  return useMutation({ mutationFn, onSuccess: () => void refresh() });
}

/** Keeps showing the previous data while the query reads another page or filter. */
export const keepFormer = <T>(former: T) => former;
