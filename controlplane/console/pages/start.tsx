import { WaymarkError } from '@waymark/client';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { LinkButton } from '../components/button';
import { ErrorNote, Loading } from '../components/messages';
import { request } from '../data/request';
import { EntryFrame } from '../features/session/entry';
import { useSession } from '../features/session/session';
import { routes } from '../routing/routes';
import { texts } from '../texts/texts';

const { start } = texts.auth;

/** Removes the used code from the browser's history. */
const forgetCode = () => history.replaceState(null, '', location.pathname);

/** The page behind the link in the start message. The code in `#code=…` logs the browser in once. */
export function StartPage() {
  const [, navigate] = useLocation();
  const { begin } = useSession();
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    const code = new URLSearchParams(location.hash.slice(1)).get('code');
    if (code === null) return setProblem(start.missing);
    request('POST', '/auth/session/code', { body: { code } }).then(
      () => {
        forgetCode();
        begin();
        navigate(routes.redirects, { replace: true });
      },
      (error: unknown) => {
        // Without an answer the code may still be valid. Keep it, so that a reload tries it again.
        if (!(error instanceof WaymarkError) || error.status !== 0) forgetCode();
        setProblem(error);
      },
    );
  }, []);
  return (
    <EntryFrame title={problem === undefined ? start.title : start.failed}>
      {problem === undefined ? (
        <Loading />
      ) : (
        <>
          <ErrorNote error={problem} />
          <LinkButton to={routes.logIn}>{start.logIn}</LinkButton>
        </>
      )}
    </EntryFrame>
  );
}
