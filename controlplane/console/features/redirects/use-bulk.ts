import type { Redirect } from '@waymark/client';
import { useState } from 'preact/hooks';
import { useErrorToast, useToast } from '../../components/toasts';
import { type BulkOperation, restoreRedirects, runBulk, useRedirectsRefresh } from '../../data/redirects';
import { texts } from '../../texts/texts';

const { redirects } = texts;

interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Returns functions that change many redirects in several requests, with their progress. Each change can be undone. */
export function useBulk(selected: readonly Redirect[], onDone: () => void) {
  const [progress, setProgress] = useState<Progress>();
  const refresh = useRedirectsRefresh();
  const toast = useToast();

  const fail = useErrorToast();

  async function attempt(total: number, work: (onProgress: (done: number) => void) => Promise<void>) {
    setProgress({ done: 0, total });
    try {
      await work((done) => setProgress({ done, total }));
    } catch (error) {
      fail(error);
    } finally {
      setProgress(undefined);
      await refresh();
    }
  }

  /**
   * Applies the operations, and resolves to the changed ids. If a request fails, resolves to the ids changed before it,
   * so that these changes can be undone.
   */
  async function apply(operations: readonly BulkOperation[], onProgress: (done: number) => void) {
    const { results, error } = await runBulk(operations, onProgress);
    if (error !== undefined) fail(error);
    const failed = results.filter(({ status }) => status === 'failed');
    if (failed.length > 0) {
      const text = redirects.someFailed(failed.length, failed[0]?.error?.message ?? '');
      toast({ text, isError: true });
    }
    return new Set(
      results.flatMap(({ status, id }) => (status === 'failed' || id === undefined ? [] : [id])),
    );
  }

  /** Changes members of all selected redirects, and offers to undo this. */
  function update(
    membersOf: (redirect: Redirect) => Omit<BulkOperation, 'op' | 'id'>,
    formerOf: (redirect: Redirect) => Omit<BulkOperation, 'op' | 'id'>,
    text: (count: number) => string,
  ) {
    const operationsOf = (list: readonly Redirect[], members: typeof membersOf): BulkOperation[] =>
      list.map((redirect) => ({ op: 'update', id: redirect.id, ...members(redirect) }));
    void attempt(selected.length, async (onProgress) => {
      const changed = await apply(operationsOf(selected, membersOf), onProgress);
      if (changed.size === 0) return;
      const former = selected.filter(({ id }) => changed.has(id));
      const undo = () =>
        void attempt(former.length, async (onUndone) => {
          await apply(operationsOf(former, formerOf), onUndone);
        });
      toast({ text: text(changed.size), undo });
    });
  }

  return {
    progress,
    setEnabled: (enabled: boolean) =>
      update(
        () => ({ enabled }),
        (former) => ({ enabled: former.enabled }),
        enabled ? redirects.enabled : redirects.disabled,
      ),
    setTags: (tag: string, isAdded: boolean) =>
      update(
        ({ tags }) => ({
          tags: isAdded ? [...new Set([...tags, tag])] : tags.filter((other) => other !== tag),
        }),
        ({ tags }) => ({ tags }),
        redirects.tagMany.done,
      ),
    setDestination: (toDomain: string) =>
      update(
        () => ({ toDomain }),
        (former) => ({ toDomain: former.toDomain }),
        redirects.moveMany.done,
      ),
    remove: () =>
      void attempt(selected.length, async (onProgress) => {
        const deleted = await apply(
          selected.map(({ id }) => ({ op: 'delete', id })),
          onProgress,
        );
        onDone();
        if (deleted.size === 0) return;
        const undo = () =>
          void attempt(deleted.size, async (onRestored) => {
            toast({ text: redirects.restored(await restoreRedirects([...deleted], onRestored)) });
          });
        toast({ text: redirects.deleted(deleted.size), undo });
      }),
  };
}
