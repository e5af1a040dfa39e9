import { parseControlplaneConfig, parseDataplaneConfig, parseIngestConfig } from '../shared/config/config.js';
import type { Environment } from '../shared/config/environment.js';
import {
  parseControlplaneRoleConfig,
  parseDataplaneRoleConfig,
  parseIngestRoleConfig,
} from '../shared/config/role-config.js';
import { messageOf } from '../shared/process/error-facts.js';

/** Longer than any variable. */
const NO_VALUE = 'x'.repeat(100_000);

const PARSERS = {
  controlplane: { any: parseControlplaneConfig, role: parseControlplaneRoleConfig },
  dataplane: { any: parseDataplaneConfig, role: parseDataplaneRoleConfig },
  ingest: { any: parseIngestConfig, role: parseIngestRoleConfig },
} as const;

export type Role = keyof typeof PARSERS;
export const ROLES = Object.keys(PARSERS) as Role[];

/** Returns the names that the role reads: it refuses an invalid value of these. */
export function variablesOf(role: Role, names: readonly string[]): string[] {
  const message = refusal(() => PARSERS[role].any(Object.fromEntries(names.map((name) => [name, NO_VALUE]))));
  return [...message.matchAll(/^([A-Z_]+) /gm)].map(([, name = '']) => name);
}

/** Returns why the role does not start with this environment; empty when it does. */
export function refusalOf(role: Role, environment: Environment): string {
  return refusal(() => PARSERS[role].role(environment));
}

function refusal(parse: () => unknown): string {
  try {
    parse();
    return '';
  } catch (error) {
    return messageOf(error);
  }
}
