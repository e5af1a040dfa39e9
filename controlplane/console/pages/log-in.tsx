import { Link, useLocation, useSearchParams } from 'wouter-preact';
import { pageFacts } from '../data/page-facts';
import { EntryFrame } from '../features/session/entry';
import { LogInForms } from '../features/session/log-in-forms';
import { useSession } from '../features/session/session';
import { routes } from '../routing/routes';
import { texts } from '../texts/texts';

export function LogInPage() {
  const [, navigate] = useLocation();
  const [search] = useSearchParams();
  const { begin } = useSession();
  return (
    <EntryFrame title={texts.auth.logIn.title}>
      <LogInForms
        onLoggedIn={() => {
          begin();
          navigate(viewAfter(search.get('next')), { replace: true });
        }}
      />
      <p class="entry-links">
        <Link href={routes.forgotPassword}>{texts.auth.logIn.forgot}</Link>
        {pageFacts.signup !== 'closed' && (
          <span>
            {texts.auth.logIn.noAccount} <Link href={routes.signUp}>{texts.auth.logIn.signUp}</Link>
          </span>
        )}
      </p>
    </EntryFrame>
  );
}

/**
 * Returns the view to open after log-in. Accepts only views of the console, so a crafted link cannot redirect
 * elsewhere.
 */
function viewAfter(next: string | null): string {
  return next !== null && /^\/(?!\/)/.test(next) ? next : routes.redirects;
}
