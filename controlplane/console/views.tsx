import { Redirect, Route, Switch } from 'wouter-preact';
import { pageFacts } from './data/page-facts';
import { RedirectFrame } from './features/redirects/redirect-frame';
import { useSession } from './features/session/session';
import { Shell } from './features/shell/shell';
import { ForgotPasswordPage } from './pages/forgot-password';
import { LogInPage } from './pages/log-in';
import { NotFoundPage } from './pages/not-found';
import { RedirectsPage } from './pages/redirects';
import { SignUpPage } from './pages/sign-up';
import { StartPage } from './pages/start';
import { lazyPage } from './routing/lazy-page';
import { routes } from './routing/routes';
import { texts } from './texts/texts';

const { rules, experiments, statistics, paths, drafts, replay, examples, history } = texts;
const { tabs } = texts.redirects.detail;

const ImportPage = lazyPage(() => import('./pages/imports/import'));

/** Pages by their address. */
const PAGES = [
  [routes.deleted, lazyPage(() => import('./pages/redirects/deleted'))],
  [routes.imports, lazyPage(() => import('./pages/imports'))],
  [routes.account, lazyPage(() => import('./pages/account'))],
  [routes.tokens, lazyPage(() => import('./pages/account/tokens'))],
  [routes.webhooks, lazyPage(() => import('./pages/account/webhooks'))],
  [routes.audit, lazyPage(() => import('./pages/account/audit'))],
  [routes.security, lazyPage(() => import('./pages/account/security'))],
  [routes.operator, lazyPage(() => import('./pages/operator'))],
  [routes.certificates, lazyPage(() => import('./pages/operator/certificates'))],
  [routes.users, lazyPage(() => import('./pages/operator/users'))],
  [routes.takedowns, lazyPage(() => import('./pages/operator/takedowns'))],
  [routes.brokenDestinations, lazyPage(() => import('./pages/operator/destinations'))],
  [routes.operatorLog, lazyPage(() => import('./pages/operator/log'))],
] as const;

/** Pages of a redirect by their address below it, each with its name. */
const REDIRECT_PAGES = [
  ['', tabs.overview, lazyPage(() => import('./pages/redirects/overview'))],
  ['/rules', rules.title, lazyPage(() => import('./pages/redirects/rules'))],
  ['/rules/:ruleId', rules.title, lazyPage(() => import('./pages/redirects/rule'))],
  ['/rules/:ruleId/results', experiments.title, lazyPage(() => import('./pages/redirects/results'))],
  ['/statistics', statistics.title, lazyPage(() => import('./pages/redirects/statistics'))],
  ['/paths', paths.title, lazyPage(() => import('./pages/redirects/paths'))],
  ['/paths/staged', paths.staged.title, lazyPage(() => import('./pages/redirects/paths/staged'))],
  ['/settings', tabs.settings, lazyPage(() => import('./pages/redirects/settings'))],
  ['/draft', drafts.title, lazyPage(() => import('./pages/redirects/draft'))],
  ['/draft/settings', drafts.settings.formTitle, lazyPage(() => import('./pages/redirects/draft/settings'))],
  ['/draft/rules/:place', drafts.rules.formTitle, lazyPage(() => import('./pages/redirects/draft/rule'))],
  ['/draft/paths', drafts.paths.formTitle, lazyPage(() => import('./pages/redirects/draft/paths'))],
  ['/replay/:replayId?', replay.title, lazyPage(() => import('./pages/redirects/replay'))],
  ['/examples', examples.title, lazyPage(() => import('./pages/redirects/examples'))],
  ['/history', history.title, lazyPage(() => import('./pages/redirects/history'))],
] as const;

/** Every view of the console by its address. */
export function Views() {
  const { hasSession } = useSession();
  return (
    <Switch>
      <Route path={routes.start} component={StartPage} />
      <Route path={routes.logIn} component={LogInPage} />
      <Route path={routes.signUp} component={SignUpPage} />
      <Route path={routes.forgotPassword} component={ForgotPasswordPage} />
      <Route>{hasSession ? <SignedInViews /> : <Redirect to={logInAddress()} replace />}</Route>
    </Switch>
  );
}

function SignedInViews() {
  return (
    <Shell>
      <Switch>
        <Route path={routes.redirects} component={RedirectsPage} />
        {PAGES.map(([path, Page]) => (
          <Route key={path} path={path}>
            {() => <Page />}
          </Route>
        ))}
        {REDIRECT_PAGES.map(([path, name, Page]) => (
          <Route key={path} path={`/redirects/:id${path}`}>
            {({ id, ...params }) => (
              <RedirectFrame key={id} id={id} part={name}>
                {(redirect) => <Page key={JSON.stringify(params)} redirect={redirect} params={params} />}
              </RedirectFrame>
            )}
          </Route>
        ))}
        <Route path="/imports/:id">{({ id }) => <ImportPage key={id} id={id} />}</Route>
        <Route path="/">
          <Redirect to={routes.redirects} replace />
        </Route>
        <Route component={NotFoundPage} />
      </Switch>
    </Shell>
  );
}

/** The log-in page leads back to the requested view. */
function logInAddress(): string {
  const asked = location.pathname.slice(`${pageFacts.basePath}/console`.length) + location.search;
  if (['', '/', routes.redirects].includes(asked)) return routes.logIn;
  return `${routes.logIn}?next=${encodeURIComponent(asked)}`;
}
