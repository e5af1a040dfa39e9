import type { QueryRecording, RedirectType } from '../../shared/ruleset/redirect-definition.js';

/** What its owner decides about a redirect. */
export interface RedirectSettings {
  readonly toDomain: string;
  readonly redirectType: RedirectType;
  readonly pathForwarding: boolean;
  readonly queryForwarding: boolean;
  readonly samplingRate: number;
  /** How long caches may keep its answer; 0 for not at all. */
  readonly cacheSeconds: number;
  readonly queryRecording: QueryRecording;
}

/** A redirect as it is stored. */
export interface Redirect extends RedirectSettings {
  readonly id: string;
  readonly userId: string;
  readonly fromDomain: string;
  /** Host of `toDomain`, in the form of `fromDomain`. */
  readonly toHost: string;
  readonly verificationValue: string;
  readonly verifiedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
