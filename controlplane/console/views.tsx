import { Redirect, Route, Switch } from 'wouter-preact';
import { pageFacts } from './data/page-facts';
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

const RedirectPage = lazyPage(() => import('./pages/redirects/overview'));
const DeletedPage = lazyPage(() => import('./pages/redirects/deleted'));
const RulesPage = lazyPage(() => import('./pages/redirects/rules'));
const RulePage = lazyPage(() => import('./pages/redirects/rule'));
const ResultsPage = lazyPage(() => import('./pages/redirects/results'));
const StatisticsPage = lazyPage(() => import('./pages/redirects/statistics'));
const PathsPage = lazyPage(() => import('./pages/redirects/paths'));
const StagedPathsPage = lazyPage(() => import('./pages/redirects/paths/staged'));
const SettingsPage = lazyPage(() => import('./pages/redirects/settings'));
const DraftPage = lazyPage(() => import('./pages/redirects/draft'));
const DraftSettingsPage = lazyPage(() => import('./pages/redirects/draft/settings'));
const DraftRulePage = lazyPage(() => import('./pages/redirects/draft/rule'));
const DraftPathsPage = lazyPage(() => import('./pages/redirects/draft/paths'));
const ReplayPage = lazyPage(() => import('./pages/redirects/replay'));
const ExamplesPage = lazyPage(() => import('./pages/redirects/examples'));
const HistoryPage = lazyPage(() => import('./pages/redirects/history'));
const ImportsPage = lazyPage(() => import('./pages/imports'));
const ImportPage = lazyPage(() => import('./pages/imports/import'));
const AccountPage = lazyPage(() => import('./pages/account'));
const TokensPage = lazyPage(() => import('./pages/account/tokens'));
const WebhooksPage = lazyPage(() => import('./pages/account/webhooks'));
const AuditPage = lazyPage(() => import('./pages/account/audit'));
const SecurityPage = lazyPage(() => import('./pages/account/security'));
const OperatorPage = lazyPage(() => import('./pages/operator'));
const CertificatesPage = lazyPage(() => import('./pages/operator/certificates'));
const UsersPage = lazyPage(() => import('./pages/operator/users'));
const TakedownsPage = lazyPage(() => import('./pages/operator/takedowns'));
const BrokenDestinationsPage = lazyPage(() => import('./pages/operator/destinations'));
const OperatorLogPage = lazyPage(() => import('./pages/operator/log'));

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
        <Route path={routes.deleted}>{() => <DeletedPage />}</Route>
        <Route path="/redirects/:id">{({ id }) => <RedirectPage key={id} id={id} />}</Route>
        <Route path="/redirects/:id/rules">{({ id }) => <RulesPage key={id} id={id} />}</Route>
        <Route path="/redirects/:id/rules/:ruleId">
          {({ id, ruleId }) => <RulePage key={`${id} ${ruleId}`} id={id} ruleId={ruleId} />}
        </Route>
        <Route path="/redirects/:id/rules/:ruleId/results">
          {({ id, ruleId }) => <ResultsPage key={`${id} ${ruleId}`} id={id} ruleId={ruleId} />}
        </Route>
        <Route path="/redirects/:id/statistics">{({ id }) => <StatisticsPage key={id} id={id} />}</Route>
        <Route path="/redirects/:id/paths">{({ id }) => <PathsPage key={id} id={id} />}</Route>
        <Route path="/redirects/:id/paths/staged">{({ id }) => <StagedPathsPage key={id} id={id} />}</Route>
        <Route path="/redirects/:id/settings">{({ id }) => <SettingsPage key={id} id={id} />}</Route>
        <Route path="/redirects/:id/draft">{({ id }) => <DraftPage key={id} id={id} />}</Route>
        <Route path="/redirects/:id/draft/settings">
          {({ id }) => <DraftSettingsPage key={id} id={id} />}
        </Route>
        <Route path="/redirects/:id/draft/paths">{({ id }) => <DraftPathsPage key={id} id={id} />}</Route>
        <Route path="/redirects/:id/draft/rules/:place">
          {({ id, place }) => <DraftRulePage key={`${id} ${place}`} id={id} place={place} />}
        </Route>
        <Route path="/redirects/:id/replay/:replayId?">
          {({ id, replayId }) => <ReplayPage key={id} id={id} replayId={replayId} />}
        </Route>
        <Route path="/redirects/:id/examples">{({ id }) => <ExamplesPage key={id} id={id} />}</Route>
        <Route path="/redirects/:id/history">{({ id }) => <HistoryPage key={id} id={id} />}</Route>
        <Route path={routes.imports}>{() => <ImportsPage />}</Route>
        <Route path="/imports/:id">{({ id }) => <ImportPage key={id} id={id} />}</Route>
        <Route path={routes.account}>{() => <AccountPage />}</Route>
        <Route path={routes.tokens}>{() => <TokensPage />}</Route>
        <Route path={routes.webhooks}>{() => <WebhooksPage />}</Route>
        <Route path={routes.audit}>{() => <AuditPage />}</Route>
        <Route path={routes.security}>{() => <SecurityPage />}</Route>
        <Route path={routes.operator}>{() => <OperatorPage />}</Route>
        <Route path={routes.certificates}>{() => <CertificatesPage />}</Route>
        <Route path={routes.users}>{() => <UsersPage />}</Route>
        <Route path={routes.takedowns}>{() => <TakedownsPage />}</Route>
        <Route path={routes.brokenDestinations}>{() => <BrokenDestinationsPage />}</Route>
        <Route path={routes.operatorLog}>{() => <OperatorLogPage />}</Route>
        <Route path="/">
          <Redirect to={routes.redirects} replace />
        </Route>
        <Route component={NotFoundPage} />
      </Switch>
    </Shell>
  );
}

/** The log-in page leads back to the view that was asked for. */
function logInAddress(): string {
  const asked = location.pathname.slice(`${pageFacts.basePath}/console`.length) + location.search;
  if (['', '/', routes.redirects].includes(asked)) return routes.logIn;
  return `${routes.logIn}?next=${encodeURIComponent(asked)}`;
}
