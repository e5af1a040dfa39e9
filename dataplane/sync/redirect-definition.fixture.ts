import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';

/** A redirect of `host` with default values, except for the given ones. */
export function redirectOf(
  host: string,
  given: Partial<Omit<RedirectDefinition, 'host'>> = {},
): RedirectDefinition {
  return {
    id: `id-of-${host}`,
    host,
    destination: 'https://destination.example',
    redirectType: 'permanent',
    pathForwarding: false,
    queryForwarding: false,
    samplingRate: 1,
    ...given,
  };
}
