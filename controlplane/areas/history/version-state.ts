import type { PathEnding, PathEntry, PathOptions } from '../../../shared/paths/path-entry.js';
import type { RedirectStatusCode } from '../../../shared/rules/redirect-status.js';
import type { ConditionLogic, RuleAction, RuleCondition } from '../../../shared/rules/rule-definition.js';
import type { QueryRecording, RedirectType } from '../../../shared/ruleset/redirect-definition.js';
import type { AfterEnd, Hsts, NotFound } from '../../../shared/ruleset/redirect-options.js';

/** Settings of a redirect as requests write them, and its standing. All times are ISO 8601. */
export interface RedirectState {
  readonly fromDomain: string;
  readonly toDomain: string;
  readonly redirectType: RedirectType;
  readonly statusCode: RedirectStatusCode;
  readonly pathForwarding: boolean;
  readonly queryForwarding: boolean;
  readonly samplingRate: number;
  readonly cacheSeconds: number;
  readonly queryRecording: QueryRecording;
  readonly enabled: boolean;
  readonly tags: readonly string[];
  readonly note: string;
  readonly externalId: string | null;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  readonly afterEnd: AfterEnd | null;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly appendQuery: Readonly<Record<string, string>>;
  readonly clickIdParam: string | null;
  readonly notFound: NotFound | null;
  readonly httpsMode: 'both' | 'upgrade' | 'off';
  readonly hsts: Hsts | null;
  readonly isVerified: boolean;
  readonly isDeleted: boolean;
}

/** A rule as requests write it, with its id. */
export interface RuleState {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly type: 'force' | 'percentage' | 'ab_experiment';
  readonly conditions: readonly RuleCondition[];
  readonly conditionLogic: ConditionLogic;
  readonly action: RuleAction;
  readonly priority: number;
  readonly status: 'active' | 'inactive' | 'draft';
  readonly startDate: string | null;
  readonly endDate: string | null;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
}

/** An entry of a table of paths as requests write it, with its id. */
export interface EntryState extends PathEntry {
  readonly pathEnding: PathEnding;
  readonly enabled: boolean;
  readonly note: string;
}

export interface PathsState {
  readonly options: PathOptions;
  /** Ordered by id. */
  readonly entries: readonly EntryState[];
}

/** State of a redirect: its settings, rules and paths. */
export interface VersionState {
  readonly redirect: RedirectState;
  /** Ordered by priority. */
  readonly rules: readonly RuleState[];
  readonly paths: PathsState;
}

/** The state of a redirect now, with the number of its version. */
export interface CurrentState extends VersionState {
  readonly version: number;
}
