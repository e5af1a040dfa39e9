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

/** A change. Afterwards the queries whose keys begin with one of `keys` are reloaded. */
export function useChange<V = void, T = unknown>(
  mutationFn: (variables: V) => Promise<T>,
  ...keys: readonly Key[]
) {
  const refresh = useRefresh(...keys);
  return useMutation({ mutationFn, onSuccess: () => void refresh() });
}

/** Shows the previous data while another page or filter is read. */
export const keepFormer = <T>(former: T) => former;
