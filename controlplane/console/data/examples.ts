import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import type { Schemas } from '@waymark/client';
import { request } from './request';

const examplesKey = (id: string) => ['examples', id] as const;

export function useExamples(id: string) {
  return useQuery({
    queryKey: examplesKey(id),
    async queryFn({ signal }) {
      const path = '/redirects/{id}/examples';
      return (await request('GET', path, { params: { id }, signal })).data;
    },
  });
}

export function useExampleChanges(id: string) {
  const client = useQueryClient();
  return {
    /** Replaces all examples. */
    async save(examples: readonly Schemas.Example[]): Promise<void> {
      const { data } = await request('PUT', '/redirects/{id}/examples', {
        params: { id },
        body: { examples },
      });
      client.setQueryData(examplesKey(id), data);
    },
    run: useMutation({
      mutationFn: (isDraft: boolean) =>
        request('POST', '/redirects/{id}/examples/run', {
          params: { id },
          body: isDraft ? { draft: true } : {},
        }),
    }),
  };
}
