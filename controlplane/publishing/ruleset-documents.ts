import { settledWithin } from '../../shared/async/deadline.js';
import type { RulesetDelta } from '../../shared/ruleset/ruleset-feed.js';
import {
  compareVersions,
  isOtherHistory,
  type RulesetVersion,
} from '../../shared/ruleset/ruleset-version.js';
import { AppError } from '../errors/app-error.js';
import type { BuiltRuleset, RulesetBuilder } from './ruleset-builder.js';
import { MAX_CHANGES_PER_DELTA, type RulesetRepository } from './ruleset-repository.js';

/** Maximum time that readers wait for a build before they ask again. */
const BUILD_WAIT_MS = 3_000;

/** Answer to a data plane that asks for the ruleset over HTTP. */
export type RulesetAnswer =
  | { readonly kind: 'nothing newer' }
  | { readonly kind: 'delta'; readonly delta: RulesetDelta }
  | { readonly kind: 'whole'; readonly built: BuiltRuleset };

/** Answers data planes that cannot read the ruleset from Redis. */
export interface RulesetDocuments {
  /**
   * @param known version that the reader has
   * @throws {AppError} SERVICE_UNAVAILABLE while the ruleset is being built
   */
  answer(known: RulesetVersion | undefined): Promise<RulesetAnswer>;
}

export interface RulesetDocumentsDeps {
  readonly repository: Pick<RulesetRepository, 'readDelta'>;
  readonly builder: Pick<RulesetBuilder, 'build' | 'progress'>;
  /** Default: 3 s. */
  readonly buildWaitMs?: number;
}

export function createRulesetDocuments(deps: RulesetDocumentsDeps): RulesetDocuments {
  const { repository, builder, buildWaitMs = BUILD_WAIT_MS } = deps;

  async function changesSince(known: RulesetVersion): Promise<RulesetAnswer | undefined> {
    const delta = await repository.readDelta(known, MAX_CHANGES_PER_DELTA);
    // A data plane takes over more changes in chunks.
    if (delta === undefined || delta.hasMore) return undefined;
    const isNewest = compareVersions(delta.version, known) === 0 && !isOtherHistory(delta.version, known);
    return isNewest ? { kind: 'nothing newer' } : { kind: 'delta', delta };
  }

  async function whole(): Promise<RulesetAnswer> {
    const building = builder.build();
    if (await settledWithin(buildWaitMs, building)) return { kind: 'whole', built: await building };
    // The build continues; later requests get it.
    building.catch(() => undefined);
    const progress = builder.progress();
    const far = progress === undefined ? '' : `, ${progress.redirects} of ${progress.of} redirects`;
    throw new AppError('SERVICE_UNAVAILABLE', { message: `The ruleset is being built${far}.` });
  }

  return {
    answer: async (known) => (known && (await changesSince(known))) ?? whole(),
  };
}
