import { useQueryClient } from '@tanstack/preact-query';
import type { Schemas } from '@waymark/client';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Dialog } from '../../components/dialog';
import { clearDrafts } from '../../components/use-form';
import { accountKey } from '../../data/account';
import { pageFacts } from '../../data/page-facts';
import { isSessionEnd, onSessionEnd, request } from '../../data/request';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { LogInForms } from './log-in-forms';

interface SessionState {
  /** Whether the console shows the pages of a logged-in user. */
  readonly hasSession: boolean;
  /** Records that the browser has a session. */
  begin(): void;
  logOut(): Promise<void>;
}

const Context = createContext<SessionState | undefined>(undefined);

export function useSession(): SessionState {
  const state = useContext(Context);
  if (state === undefined) throw new Error('useSession needs a SessionProvider');
  return state;
}

/**
 * Provides the session state. When the session ends while a page is open, a dialog asks the user to log in again. The
 * page stays open, so no input is lost.
 */
export function SessionProvider({ children }: { readonly children: ComponentChildren }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [hasSession, setHasSession] = useState(pageFacts.hasSession);
  const [hasEnded, setHasEnded] = useState(false);
  useEffect(() => onSessionEnd(() => setHasEnded(true)), []);

  const state = useMemo<SessionState>(
    () => ({
      hasSession,
      begin() {
        const former = client.getQueryData<Schemas.Account>(accountKey)?.user.id;
        setHasEnded(false);
        setHasSession(true);
        void client.invalidateQueries().then(() => {
          const user = client.getQueryData<Schemas.Account>(accountKey)?.user.id;
          if (former === undefined || user === undefined || user === former) return;
          // Another user has logged in. Remove the pages and drafts of the previous user.
          clearDrafts();
          location.assign(`${pageFacts.basePath}/console/`);
        });
      },
      async logOut() {
        await request('DELETE', '/auth/session').catch((error: unknown) => {
          if (!isSessionEnd(error)) throw error;
        });
        setHasEnded(false);
        setHasSession(false);
        client.clear();
        clearDrafts();
        navigate(routes.logIn);
      },
    }),
    [hasSession, client, navigate],
  );
  return (
    <Context.Provider value={state}>
      {children}
      {hasSession && hasEnded && (
        <Dialog title={texts.auth.ended.title} isRequired onClose={() => {}}>
          <p class="lead">{texts.auth.ended.lead}</p>
          <LogInForms onLoggedIn={state.begin} />
        </Dialog>
      )}
    </Context.Provider>
  );
}
