import { pino } from 'pino';
import type { StripeConfig } from '../../../../shared/config/billing-config.js';
import { type ControlplaneConfig, parseControlplaneConfig } from '../../../../shared/config/config.js';
import { ConfigError } from '../../../../shared/config/environment.js';
import { processEnvironment } from '../../../../shared/config/process-environment.js';
import { messageOf } from '../../../../shared/process/error-facts.js';
import { createRulesetOutbox } from '../../../publishing/ruleset-outbox.js';
import { openDatabase } from '../../../storage/postgres/open-database.js';
import { loadPlanCatalogue } from '../../plans/public.js';
import { emit } from '../../webhooks/public.js';
import { createPlanAccess } from '../subscribed-plans.js';
import { type Say, setUpStripe } from './setup.js';
import { createStripeBilling, type StripeBilling } from './stripe.js';
import { createStripeClient } from './stripe-client.js';
import { STRIPE } from './stripe-names.js';

const USAGE = `takes one of:
  setup             create or check products, prices, the portal and the webhook endpoint
  replay [EVENT…]   apply kept events again: those named, or those that were never finished
  reconcile         ask Stripe how all subscriptions stand
`;

const say: Say = (line) => void process.stdout.write(`${line}\n`);
const logger = pino({ level: 'warn' }, pino.destination(2));

/**
 * Commands that an operator runs against Stripe, with the environment of the control plane.
 *
 * @returns the exit code; a failure is printed in one line
 */
export async function runOperatorCommand(given: readonly string[]): Promise<number> {
  try {
    return await run(given);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    return 1;
  }
}

async function run([command, ...ids]: readonly string[]): Promise<number> {
  const config = parseControlplaneConfig(processEnvironment());
  switch (command) {
    case 'setup':
      await setUpStripe(
        createStripeClient(stripeOf(config)),
        { ...config, catalogue: await loadPlanCatalogue(config) },
        say,
      );
      return 0;
    case 'replay':
      return withBilling(config, async ({ inbox }) => {
        const replayed = await inbox.replay(ids);
        for (const { id, type, outcome, error } of replayed) {
          say(`${id} ${type}: ${outcome}${error instanceof Error ? ` (${error.message})` : ''}`);
        }
        say(`${replayed.length} events`);
        return replayed.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
      });
    case 'reconcile':
      return withBilling(config, async ({ reconciliation }) => {
        const { checked, failed } = await reconciliation.reconcileAll();
        say(`${checked} subscriptions checked, ${failed} failed`);
        return failed === 0 ? 0 : 1;
      });
    default:
      process.stderr.write(USAGE);
      return 2;
  }
}

/** Uses Stripe even if another provider is active, so operators can set up Stripe before they switch. */
function stripeOf({ billing }: ControlplaneConfig): StripeConfig {
  if (billing.stripe !== undefined) return billing.stripe;
  throw new ConfigError('STRIPE_SECRET_KEY is required: it takes a secret key of Stripe');
}

async function withBilling(
  config: ControlplaneConfig,
  work: (billing: StripeBilling) => Promise<number>,
): Promise<number> {
  const { webhookSecret, ...stripe } = stripeOf(config);
  const catalogue = await loadPlanCatalogue(config);
  const database = await openDatabase(config, logger);
  try {
    const billing = createStripeBilling({
      database,
      outbox: createRulesetOutbox(database),
      catalogue,
      access: createPlanAccess({ database, catalogue, provider: STRIPE, nowMs: Date.now }),
      emit,
      countEvents: async () => 0,
      dashboardUrl: config.dashboardUrl,
      corsOrigins: config.corsOrigins,
      apiAddress: () => config.publicApiUrl ?? '',
      stripe,
      webhookSecret,
      logger,
      nowMs: Date.now,
    });
    return await work(billing);
  } finally {
    await database.close();
  }
}
