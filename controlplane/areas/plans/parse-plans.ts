import { Ajv } from 'ajv';
import { Type } from 'typebox';
import { ConfigError } from '../../../shared/config/environment.js';
import type { Plan } from '../../plan.js';
import { PLANS } from './default-plans.js';
import { type PlanFileEntry, PlanFileEntrySchema } from './plan-schema.js';

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
export function parsePlans(text: string): Plan[] {
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
