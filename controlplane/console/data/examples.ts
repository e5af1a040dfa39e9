import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { request } from './request';

/** A visit of a redirect, and the answer that it must get. */
export interface Example {
  readonly name: string;
  readonly request: {
    readonly url: string;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly userAttributes?: Readonly<Record<string, string>>;
    readonly at?: string | null;
    readonly visitorId?: string;
  };
  readonly expect: {
    readonly statusCode?: number;
    readonly location?: string;
    readonly ruleName?: string;
    readonly noMatch?: true;
  };
}

export interface ExampleResult {
  readonly name: string;
  readonly status: 'passed' | 'failed';
  readonly message: string | null;
}

export interface ExampleRun {
  readonly summary: { readonly total: number; readonly passed: number; readonly failed: number };
  readonly results: readonly ExampleResult[];
}

const examplesKey = (id: string) => ['examples', id] as const;

export function useExamples(id: string) {
  return useQuery({
    queryKey: examplesKey(id),
    async queryFn({ signal }) {
      const path = '/redirects/{id}/examples';
      return (await request<{ data: readonly Example[] }>('GET', path, { params: { id }, signal })).data;
    },
  });
}

export function useExampleChanges(id: string) {
  const client = useQueryClient();
  return {
    /** Replaces all examples. */
    async save(examples: readonly Example[]): Promise<void> {
      const { data } = await request<{ data: readonly Example[] }>('PUT', '/redirects/{id}/examples', {
        params: { id },
        body: { examples },
      });
      client.setQueryData(examplesKey(id), data);
    },
    run: useMutation({
      mutationFn: (isDraft: boolean) =>
        request<ExampleRun>('POST', '/redirects/{id}/examples/run', {
          params: { id },
          body: isDraft ? { draft: true } : {},
        }),
    }),
  };
}
