import type { ComponentType } from 'preact';
import { useEffect, useReducer, useState } from 'preact/hooks';
import { ErrorNote, Loading } from '../components/messages';
import { texts } from '../texts/texts';

const RELOADED_FOR = 'waymark-reloaded-for';

/**
 * Loads the code of a page when it is opened. After an upgrade, an old tab requests files that no longer exist. The
 * browser page is then reloaded once, with the new files. Form drafts survive the reload. While the server is
 * unavailable nothing is reloaded, because the browser would show its own error page.
 */
export function lazyPage<P extends object>(load: () => Promise<{ readonly default: ComponentType<P> }>) {
  let Page: ComponentType<P> | undefined;
  let opening: Promise<void> | undefined;

  /** Concurrent calls share one attempt, because each failed attempt may reload the page. */
  function open(): Promise<void> {
    opening ??= tryOpen().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  async function tryOpen(): Promise<void> {
    try {
      Page = (await load()).default;
      sessionStorage.removeItem(RELOADED_FOR);
    } catch {
      if (!(await isServerThere())) throw new Error(texts.errors.noAnswer);
      const address = location.href;
      if (sessionStorage.getItem(RELOADED_FOR) === address) throw new Error(texts.errors.pageMissing);
      sessionStorage.setItem(RELOADED_FOR, address);
      location.reload();
      await new Promise<never>(() => {});
    }
  }

  /** Loads the code before the page is shown. Errors are ignored here: the page loads again and reports them. */
  LazyPage.preload = () => {
    if (Page === undefined) open().catch(() => undefined);
  };
  return LazyPage;

  function LazyPage(props: P) {
    const [attempt, retry] = useReducer((attempts: number) => attempts + 1, 0);
    const [problem, setProblem] = useState<unknown>();
    const [, show] = useReducer((renders: number) => renders + 1, 0);
    useEffect(() => {
      if (Page !== undefined) return;
      setProblem(undefined);
      let isShown = true;
      open().then(
        () => isShown && show(undefined),
        (error: unknown) => isShown && setProblem(error),
      );
      return () => {
        isShown = false;
      };
    }, [attempt]);
    if (Page !== undefined) return <Page {...props} />;
    if (problem !== undefined) return <ErrorNote error={problem} onRetry={() => retry(undefined)} />;
    return <Loading />;
  }
}

/** Returns whether the server answers the request that a reload would send. */
async function isServerThere(): Promise<boolean> {
  try {
    return (await fetch(location.href, { method: 'HEAD', cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
