import type { ControlplaneConfig } from '../shared/config/config.js';
import type { SecretKeys } from '../shared/config/secret-key.js';
import type { Places } from '../shared/visitor/place.js';
import type { Area, AreaParts } from './area.js';
import { createAccounts } from './areas/accounts/public.js';
import { createAnalytics, createUsageReader, eraseHits, extendRetention } from './areas/analytics/public.js';
import { type chooseProvider, createBillingByProvider } from './areas/billing/public.js';
import { createCertificates } from './areas/certificates/public.js';
import { createDestinations } from './areas/destinations/public.js';
import { createDrafts } from './areas/drafts/public.js';
import { createExampleGuard, createExamples } from './areas/examples/public.js';
import { createExperiments } from './areas/experiments/public.js';
import { createHistory } from './areas/history/public.js';
import { createImports } from './areas/imports/public.js';
import { createOperator } from './areas/operator/public.js';
import { createPaths } from './areas/paths/public.js';
import { createPeriodUsage, createPlans, type PlanAccess, type PlanCatalogue } from './areas/plans/public.js';
import { createRedirects, createUserStreams, releaseDomain } from './areas/redirects/public.js';
import { createReplays } from './areas/replay/public.js';
import { createRules, createVisitorInsight, ruleRepository } from './areas/rules/public.js';
import { createWebhooks, emit } from './areas/webhooks/public.js';
import { stateOf } from './current-state.js';
import type { RateLimitStores } from './http/rate-limit-store.js';
import { createMailQueue } from './mail/mail-queue.js';
import { createLogTransport, createSmtpTransport } from './mail/mail-transport.js';
import { createOwnerMails } from './mail/owner-mails.js';

/** Parts that several areas use. */
export interface SharedParts extends Pick<AreaParts, 'database' | 'store' | 'outbox' | 'metrics' | 'logger'> {
  readonly config: ControlplaneConfig;
  readonly secrets: SecretKeys;
  readonly dnsServers: readonly string[] | undefined;
  readonly places: Places;
  readonly catalogue: PlanCatalogue;
  readonly access: PlanAccess;
  readonly provider: ReturnType<typeof chooseProvider>;
  readonly rateLimits: RateLimitStores;
  /** Returns the address of the API for links. */
  readonly apiAddress: () => string;
}

/** Creates the areas and gives each the parts of others that it uses. */
export async function connectAreas(shared: SharedParts) {
  const { config, database, store, access } = shared;
  const secret = shared.secrets.current;
  const mails = createMailQueue({
    ...shared,
    transport:
      config.mail === undefined ? createLogTransport(shared.logger) : createSmtpTransport(config.mail),
  });
  const ownerMails = createOwnerMails(mails);
  const accounts = createAccounts({
    ...shared,
    mails,
    planOf: access.planOf,
    standingOf: (user) => billing.standingOf(user),
    eraseHits: (redirectIds) => eraseHits(store, redirectIds),
    subscriptions: {
      renewing: (source, userId) => billing.subscriptionsOfLeavers.renewing(source, userId),
      cancel: (userId) => billing.subscriptionsOfLeavers.cancel(userId),
      resume: (userId) => billing.subscriptionsOfLeavers.resume(userId),
      end: (userId) => billing.subscriptionsOfLeavers.end(userId),
    },
  });
  // Only this process writes to the embedded store.
  const usage = createUsageReader(store, { hearsOfHits: store.kind === 'embedded' });
  const certificates = await createCertificates({
    ...shared,
    secret,
    previousSecrets: shared.secrets.previous,
    acme: config.acme,
    target: config.publicTarget,
    certificatesDir: config.certificatesDir,
    isOperator: accounts.isOperator,
  });
  const insight = createVisitorInsight(shared.places, secret);
  const examples = createExampleGuard(insight, { publicHttpsPort: config.publicHttpsPort });
  const redirects = createRedirects({
    ...shared,
    examples,
    ownerMails,
    allowLocalhost: config.allowLocalhostDomains,
    usageOf: (ids) => usage.usageOf(ids),
    certificatesOf: (hosts) => certificates.recordsOf(hosts),
  });
  const ofRedirects = { ...shared, secret, redirects: redirects.service };
  const rules = createRules(ofRedirects);
  const paths = createPaths(ofRedirects);
  const imports = createImports({
    ...ofRedirects,
    batches: redirects.batches,
    mergePaths: paths.merge,
    planOf: access.planOf,
  });
  const drafts = createDrafts({
    ...shared,
    ...{ redirects, rules, paths, examples, stateOf },
    planOf: access.planOf,
  });
  const runs = createExamples({
    ...ofRedirects,
    insight,
    publicHttpsPort: config.publicHttpsPort,
    drafts: drafts.service,
  });
  const history = createHistory({
    ...shared,
    requireOwned: redirects.service.requireOwned,
    stateOf,
    streamToUser: createUserStreams(),
    plansOf: access.plansOf,
  });
  const plans = createPlans({
    ...shared,
    ownerMails,
    extendRetention: (redirectIds, days) => extendRetention(store, redirectIds, days),
  });
  const analytics = createAnalytics({
    ...ofRedirects,
    retentionDaysOf: plans.retentionDaysOf,
    isRecordingPaused: plans.isRecordingPaused,
    ruleNamesOf: (redirectId) => ruleRepository.namesOfRedirect(database, redirectId),
    pathEntries: paths.entries,
  });
  const experiments = createExperiments({ ...ofRedirects, retentionDaysOf: plans.retentionDaysOf });
  const replays = createReplays({
    ...ofRedirects,
    retentionDaysOf: plans.retentionDaysOf,
    stateOf,
    draftOf: async (user, redirectId) => (await drafts.service.get(user, redirectId)).draft.definition,
  });
  const billing = await createBillingByProvider(shared.provider, {
    ...shared,
    emit,
    countEvents: createPeriodUsage(store),
    dashboardUrl: config.dashboardUrl,
    corsOrigins: config.corsOrigins,
    nowMs: Date.now,
  });
  const webhooks = createWebhooks({ ...shared, allowPrivate: config.webhookAllowPrivate });
  const destinations = createDestinations({
    ...shared,
    redirects: redirects.service,
    isOperator: accounts.isOperator,
    checks: config.destinationChecks,
    publicApiUrl: config.publicApiUrl,
  });
  const operator = createOperator({
    ...shared,
    mails,
    isOperator: accounts.isOperator,
    standingPasses: accounts.standingPasses,
    onStandingChanged: () => accounts.standingChanged(),
    releaseDomain,
  });
  const areas: readonly Area[] = [
    accounts,
    redirects,
    rules,
    paths,
    imports,
    drafts,
    runs,
    history,
    analytics,
    experiments,
    replays,
    plans,
    billing,
    webhooks,
    certificates,
    destinations,
    operator,
  ];
  return {
    accounts,
    usage,
    routes: areas.flatMap((area) => area.routes),
    jobs: areas.flatMap((area) => area.jobs),
  };
}
