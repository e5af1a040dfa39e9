/** Exports of this area for other areas and the composition root. */

export type { Actor, AuditAction, VersionAction } from './audit-entry.js';
export { periodOf } from './audit-filter.js';
export { createHistory } from './history.js';
export { eraseSomeHistory } from './history-retention.js';
export { periodSchema } from './history-schema.js';
export { recordAudit } from './record-audit.js';
export {
  type RecordedChange,
  type RecordedRedirectChange,
  type RecordedVersion,
  recordEachVersion,
  recordVersions,
} from './record-versions.js';
export {
  deltaBetween,
  entriesDelta,
  entriesDeltaInSteps,
  optionsDelta,
  type ReverseDelta,
  redirectDelta,
  rulesDelta,
  withPriorities,
} from './reverse-delta.js';
export { readVersionMarks, UNKNOWN_VERSIONS, type VersionMarks } from './served-versions.js';
export { differencesOf, type StateDifference } from './state-differences.js';
export { createStateOf, type ReadCurrent, type StateOf } from './state-of.js';
export { type AnsweredVisit, UNCERTAIN_MS, versionAt } from './version-at.js';
export type {
  CurrentState,
  EntryState,
  PathsState,
  RedirectState,
  RuleState,
  VersionState,
} from './version-state.js';
