import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import { Type } from 'typebox';
import { ConfigError } from '../../../shared/config/environment.js';
import type { Plan } from '../../plan.js';
import { PLANS } from './default-plans.js';
import { type PlanFileEntry, PlanFileEntrySchema } from './plan-schema.js';

/** All plans. */
export type PlanCatalogue = ReturnType<typeof createPlanCatalogue>;

/** @throws {ConfigError} when the default plan is not among the plans, or two have the same id */
export function createPlanCatalogue(plans: readonly Plan[], defaultPlanId: string) {
  const byId = new Map(plans.map((plan) => [plan.id, plan]));
  if (byId.size < plans.length) throw new ConfigError('PLANS_FILE has two plans with the same id');
  const defaultPlan = byId.get(defaultPlanId);
  if (defaultPlan === undefined) {
    const known = [...byId.keys()].join(', ');
    throw new ConfigError(`DEFAULT_PLAN names a plan that there is not: it takes one of ${known}`);
  }
  return {
    /** Plans from the smallest to the largest. */
    plans: [...plans].sort((one, other) => one.tier - other.tier),
    /** The plan of everyone without a subscription. */
    defaultPlan,
    find: (planId: string): Plan | undefined => byId.get(planId),
    /** Returns the plan with this id, or the default plan if the catalogue no longer has it. */
    get: (planId: string): Plan => byId.get(planId) ?? defaultPlan,
  };
}

/**
 * Returns the plans of the file, or the built-in ones.
 *
 * @throws {ConfigError} in one line, which names the member of the file and the accepted values
 */
export async function loadPlanCatalogue(config: {
  readonly plansFile: string | undefined;
  readonly defaultPlan: string;
}): Promise<PlanCatalogue> {
  const { plansFile, defaultPlan } = config;
  if (plansFile === undefined) return createPlanCatalogue(Object.values(PLANS), defaultPlan);
  const text = await readFile(plansFile, 'utf8').catch((cause: unknown) => {
    throw new ConfigError(`PLANS_FILE names a file that cannot be read: ${plansFile}`, { cause });
  });
  return createPlanCatalogue(parsePlans(text), defaultPlan);
}

const validate = new Ajv({ strict: false, strictNumbers: true, verbose: true }).compile<{
  plans: PlanFileEntry[];
}>(
  Type.Object(
    { plans: Type.Array(PlanFileEntrySchema, { minItems: 1, maxItems: 100 }) },
    { additionalProperties: false },
  ),
);

/**
 * Parses plans from JSON: `{"plans": […]}`, each as `GET /user/plans` returns it. `requestsPerMinute` is optional;
 * its default is the rate of the built-in plan with the same id, otherwise that of `free`.
 *
 * @throws {ConfigError} in one line, which names the fault
 */
function parsePlans(text: string): Plan[] {
  const content = parseJson(text);
  if (!validate(content)) {
    const { instancePath, message, params, parentSchema } = validate.errors?.[0] ?? {};
    const place = instancePath?.slice(1).replaceAll('/', '.') || 'the file';
    const member = params?.additionalProperty === undefined ? '' : ` (${params.additionalProperty})`;
    const fault = parentSchema?.accepts === undefined ? message : `takes ${parentSchema.accepts}`;
    throw new ConfigError(`PLANS_FILE is not a catalogue of plans: ${place} ${fault}${member}`);
  }
  return content.plans.map(toPlan);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConfigError('PLANS_FILE is not valid JSON', { cause });
  }
}

function toPlan({ limits, requestsPerMinute, ...plan }: PlanFileEntry): Plan {
  const { maxAnalyticsEvents, maxRulesPerRedirect, analyticsRetentionDays } = limits.perRedirect;
  const builtIn = Object.values(PLANS).find(({ id }) => id === plan.id) ?? PLANS.free;
  return {
    ...plan,
    requestsPerMinute: requestsPerMinute ?? builtIn.requestsPerMinute,
    maxRedirects: limits.maxRedirects,
    perRedirect: {
      maxAnalyticsEventsPerMonth: maxAnalyticsEvents,
      maxRulesPerRedirect,
      maxPathsPerRedirect: limits.perRedirect.maxPathsPerRedirect ?? builtIn.perRedirect.maxPathsPerRedirect,
      analyticsRetentionDays,
    },
  };
}
