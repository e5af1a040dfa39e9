import type { RegexGuard } from '../../shared/rules/regex-guard.js';
import { type CompiledRedirect, compileRedirect } from '../../shared/ruleset/compiled-redirect.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import type { RulesetDelta, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import { formatVersion, type RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import type { HitRecorder, RedirectTally, RuleTally } from '../hits/hit-recorder.js';

/** A redirect ready to answer, with the tallies it is counted on. */
export interface ServedRedirect {
  readonly redirect: CompiledRedirect;
  readonly tally: RedirectTally;
  /** By `RuleOutcome.index`; empty without rules. */
  readonly ruleTallies: readonly RuleTally[];
}

/**
 * The rulesets this process answers from. A change becomes visible in one step: requests run between calls of
 * these methods, never inside one.
 */
export interface RulesetTable {
  /** Undefined until the first snapshot: then nothing is known, which is not the same as serving no host. */
  readonly version: RulesetVersion | undefined;
  /** `version` as text; empty while there is none. Made once per change, not per request. */
  readonly versionText: string;
  /** Number of hosts served. */
  readonly size: number;
  /** @param host as in `RedirectDefinition.host` */
  find(host: string): ServedRedirect | undefined;
  /** Takes over a whole ruleset; on an exception the old one stays. */
  replaceAll(snapshot: RulesetSnapshot): void;
  /** Takes over changes to the present ruleset; that they fit to it is for the caller to see to. */
  apply(delta: RulesetDelta): void;
  /** What is served, as a snapshot; undefined while there is no version. */
  current(): RulesetSnapshot | undefined;
}

export interface RulesetTableDeps {
  readonly recorder: Pick<HitRecorder, 'tallyOf' | 'ruleTallyOf'>;
  /** Bounds the time that the regexes of all rules take. */
  readonly regexGuard: RegexGuard;
}

/** Most hosts are rarely asked for: a definition is compiled when its host is, for the first time. */
class Entry {
  served: ServedRedirect | undefined = undefined;

  constructor(readonly definition: RedirectDefinition) {}
}

const NO_TALLIES: readonly RuleTally[] = [];

export function createRulesetTable({ recorder, regexGuard }: RulesetTableDeps): RulesetTable {
  let entries: Map<string, Entry> = new Map();
  let version: RulesetVersion | undefined;
  let versionText = '';

  function warm(entry: Entry): ServedRedirect {
    const redirect = compileRedirect(entry.definition, regexGuard);
    entry.served = { redirect, tally: recorder.tallyOf(redirect.id), ruleTallies: ruleTalliesOf(redirect) };
    return entry.served;
  }

  function ruleTalliesOf({ id, matcher }: CompiledRedirect): readonly RuleTally[] {
    if (matcher === undefined) return NO_TALLIES;
    return matcher.outcomes.map(({ ruleId, variant }) => recorder.ruleTallyOf(id, ruleId, variant));
  }

  function show(next: RulesetVersion): void {
    version = next;
    versionText = formatVersion(next);
  }

  return {
    get version() {
      return version;
    },
    get versionText() {
      return versionText;
    },
    get size() {
      return entries.size;
    },
    find(host) {
      const entry = entries.get(host);
      if (entry === undefined) return undefined;
      return entry.served ?? warm(entry);
    },
    replaceAll(snapshot) {
      const next: Map<string, Entry> = new Map();
      for (const definition of snapshot.redirects) next.set(definition.host, new Entry(definition));
      entries = next;
      show(snapshot.version);
    },
    apply(delta) {
      const changes = delta.changes.map(({ host, redirect }) => ({
        host,
        entry: redirect === null ? undefined : new Entry(redirect),
      }));
      // Nothing below can fail, so that no change is left half made.
      for (const { host, entry } of changes) {
        if (entry === undefined) entries.delete(host);
        else entries.set(host, entry);
      }
      show(delta.version);
    },
    current() {
      if (version === undefined) return undefined;
      return { version, redirects: Array.from(entries.values(), (entry) => entry.definition) };
    },
  };
}
