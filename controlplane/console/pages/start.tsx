import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { LinkButton } from '../components/button';
import { ErrorNote, Loading } from '../components/messages';
import { request } from '../data/request';
import { EntryFrame } from '../features/session/entry-frame';
import { useSession } from '../features/session/session';
import { routes } from '../routing/routes';
import { texts } from '../texts/texts';

const { start } = texts.auth;

/** Where the link of the start message leads: `#code=…` signs the browser in, once. */
export function StartPage() {
  const [, navigate] = useLocation();
  const { begin } = useSession();
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    const code = new URLSearchParams(location.hash.slice(1)).get('code');
    // The code is of no use any more, and does not belong in the history.
    history.replaceState(null, '', location.pathname);
    if (code === null) return setProblem(start.missing);
    request('POST', '/auth/session/code', { body: { code } }).then(() => {
      begin();
      navigate(routes.redirects, { replace: true });
    }, setProblem);
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
