import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import type { ErrorBody } from '../../errors/app-error.js';
import type { PagePosition } from '../../http/page-cursor.js';
import type { NewTable } from '../paths/public.js';
import type { Draft, ReplayResult, ReplaySourceName, ReplayState } from './replay-schema.js';
import type { Slice } from './visit-reader.js';

/** The definition that visits are judged by. */
export interface ReplayedDefinition {
  readonly definition: RedirectDefinition;
  /** Table of paths of a draft; undefined for the stored one. */
  readonly draftTable?: NewTable;
  /** Version of the stored table of paths. */
  readonly tableVersion: number;
  /** Names of its rules and of those of the redirect, by id. */
  readonly ruleNames: readonly (readonly [id: number, name: string])[];
  /** Hosts of a loop that it would close; empty without one. */
  readonly loop: readonly string[];
}

/** The request for a replay, checked. */
export interface ReplayOrder extends ReplayedDefinition {
  readonly period: Slice;
  /** Maximum visits to judge. */
  readonly sample: number;
  /** Source of the definition. Absent in replays of earlier releases. */
  readonly source?: ReplaySource;
}

/** Origin of the requested definition of a replay. */
export interface ReplaySource {
  /** True for the draft that was stored then; null without a draft. */
  readonly draft: Draft | true | null;
  /** Version of the redirect that was replayed, or that the draft would have changed. */
  readonly version: number;
}

/** A stored replay. */
export interface Replay {
  readonly id: string;
  readonly userId: string;
  readonly redirectId: string;
  readonly order: ReplayOrder;
  readonly state: ReplayState;
  /** 0 to 1. */
  readonly progress: number;
  /** Null until it is finished. */
  readonly result: ReplayResult | null;
  readonly error: ErrorBody['error'] | null;
  /** Claims since the start. */
  readonly attempts: number;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** A replay in a list. */
export interface ListedReplay
  extends Pick<
      Replay,
      | 'id'
      | 'redirectId'
      | 'state'
      | 'progress'
      | 'error'
      | 'createdAt'
      | 'startedAt'
      | 'finishedAt'
      | 'attempts'
    >,
    PagePosition {
  readonly period: Slice;
  readonly sample: number;
  /** Null in replays of earlier releases. */
  readonly version: number | null;
  readonly source: ReplaySourceName;
  readonly visits: ReplayResult['visits'] | null;
}
