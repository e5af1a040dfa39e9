import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { Schemas } from '@waymark/client';
import { queryOf, useChange } from './queries';
import { request } from './request';

const examplesOf = (id: string) => queryOf(['examples', id], '/redirects/{id}/examples', { params: { id } });

export const useExamples = (id: string) => useQuery(examplesOf(id));

export function useExampleChanges(id: string) {
  const client = useQueryClient();
  const params = { id };
  return {
    /** Replaces all examples. */
    async save(examples: readonly Schemas.Example[]): Promise<void> {
      const saved = await request('PUT', '/redirects/{id}/examples', { params, body: { examples } });
      client.setQueryData(examplesOf(id).queryKey, saved);
    },
    run: useChange((isDraft: boolean) =>
      request('POST', '/redirects/{id}/examples/run', { params, body: isDraft ? { draft: true } : {} }),
    ),
  };
}
