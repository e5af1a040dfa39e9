import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Redirect, Route, Switch } from 'wouter-preact';
import { useAddressFilter } from './components/address-filter';
import { useDraft } from './data/drafts';
import { useExamples } from './data/examples';
import { QUESTION, useExperiment } from './data/experiments';
import { pageFacts } from './data/page-facts';
import { useCatalogue, useRules } from './data/rules';
import { RedirectFrame, type RedirectPageProps } from './features/redirects/redirect-frame';
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

type Params = RedirectPageProps['params'];

/** @param useData starts to read the page's data in parallel with the redirect */
const redirectPage = (
  load: () => Promise<{ readonly default: ComponentType<RedirectPageProps> }>,
  useData: (id: string, params: Params) => unknown = () => undefined,
) => ({ Page: lazyPage(load), useData });

function useRuleData(id: string) {
  useRules(id);
  useCatalogue();
}

function useResultsData(id: string, { ruleId = '' }: Params) {
  useRules(id);
  useExperiment(ruleId, useAddressFilter(...QUESTION)[0]);
}

function useDraftRuleData(id: string) {
  useDraft(id);
  useRuleData(id);
}

/** Pages of a redirect by their path below the redirect's URL, each with its name. */
const REDIRECT_PAGES = [
  ['', tabs.overview, redirectPage(() => import('./pages/redirects/overview'))],
  ['/rules', rules.title, redirectPage(() => import('./pages/redirects/rules'), useRules)],
  ['/rules/:ruleId', rules.title, redirectPage(() => import('./pages/redirects/rule'), useRuleData)],
  [
    '/rules/:ruleId/results',
    experiments.title,
    redirectPage(() => import('./pages/redirects/results'), useResultsData),
  ],
  ['/statistics', statistics.title, redirectPage(() => import('./pages/redirects/statistics'), useRules)],
  ['/paths', paths.title, redirectPage(() => import('./pages/redirects/paths'))],
  ['/paths/staged', paths.staged.title, redirectPage(() => import('./pages/redirects/paths/staged'))],
  ['/settings', tabs.settings, redirectPage(() => import('./pages/redirects/settings'))],
  ['/draft', drafts.title, redirectPage(() => import('./pages/redirects/draft'), useDraft)],
  [
    '/draft/settings',
    drafts.settings.formTitle,
    redirectPage(() => import('./pages/redirects/draft/settings'), useDraft),
  ],
  [
    '/draft/rules/:place',
    drafts.rules.formTitle,
    redirectPage(() => import('./pages/redirects/draft/rule'), useDraftRuleData),
  ],
  [
    '/draft/paths',
    drafts.paths.formTitle,
    redirectPage(() => import('./pages/redirects/draft/paths'), useDraft),
  ],
  ['/replay/:replayId?', replay.title, redirectPage(() => import('./pages/redirects/replay'))],
  ['/examples', examples.title, redirectPage(() => import('./pages/redirects/examples'), useExamples)],
  ['/history', history.title, redirectPage(() => import('./pages/redirects/history'))],
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
        {REDIRECT_PAGES.map(([path, name, page]) => (
          <Route key={path} path={`/redirects/:id${path}`}>
            {({ id, ...params }) => <RedirectView key={id} id={id} params={params} name={name} page={page} />}
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

/** A page of a redirect. Its code and data are loaded in parallel with the redirect. */
function RedirectView({
  id,
  params,
  name,
  page: { Page, useData },
}: {
  readonly id: string;
  readonly params: Params;
  readonly name: string;
  readonly page: ReturnType<typeof redirectPage>;
}) {
  useEffect(Page.preload, []);
  useData(id, params);
  return (
    <RedirectFrame id={id} part={name}>
      {(redirect) => <Page key={JSON.stringify(params)} redirect={redirect} params={params} />}
    </RedirectFrame>
  );
}

/** Returns the URL of the log-in page. That page later opens the requested view. */
function logInAddress(): string {
  const asked = location.pathname.slice(`${pageFacts.basePath}/console`.length) + location.search;
  if (['', '/', routes.redirects].includes(asked)) return routes.logIn;
  return `${routes.logIn}?next=${encodeURIComponent(asked)}`;
}
