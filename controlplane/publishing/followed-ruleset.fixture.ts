import type { PublishedPage } from '../../shared/paths/published-paths.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import { createRulesetReading } from './ruleset-reading.js';
import type { RulesetRepository } from './ruleset-repository.js';

/** Ruleset of a data plane that reads the whole ruleset once, and then only changes. */
export interface FollowedRuleset {
  readonly redirects: ReadonlyMap<string, RedirectDefinition>;
  readonly pages: ReadonlyMap<string, PublishedPage['page']>;
  /** Applies all committed changes. */
  catchUp(): Promise<void>;
  /** Returns the hosts whose visitors get 410, in order. */
  goneHosts(): string[];
}

export function followRuleset(repository: RulesetRepository): FollowedRuleset {
  const redirects = new Map<string, RedirectDefinition>();
  const pages = new Map<string, PublishedPage['page']>();
  const reading = createRulesetReading(repository);
  return {
    redirects,
    pages,
    async catchUp() {
      for (;;) {
        const { changes, version } = await reading.next();
        for (const { host, redirect, page } of changes) {
          if (redirect === null) redirects.delete(host);
          else redirects.set(host, redirect);
          if (page === undefined) pages.delete(host);
          else pages.set(host, page);
        }
        if (version !== undefined) return;
      }
    },
    goneHosts: () =>
      [...redirects.values()].flatMap(({ host, gone }) => (gone === true ? [host] : [])).sort(),
  };
}
