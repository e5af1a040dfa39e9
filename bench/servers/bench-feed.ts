import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { PublishedPage } from '../../shared/paths/published-paths.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import type { CertificateReference } from '../../shared/ruleset/redirect-options.js';
import type { RulesetFeed, RulesetFeedListener, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import { benchRedirect } from '../traffic/bench-request.js';
import { benchTable } from '../traffic/path-traffic.js';
import { benchRules, type Edition, editionAfter } from '../traffic/ruled-traffic.js';
import type { RedirectPlan } from './server-kind.js';
import type { BenchMessage } from './server-messages.js';
import { say } from './server-process.js';

const EPOCH = 1;
const TICK_MS = 10;
const CERTIFICATE_MS = 90 * 86_400_000;

/** The ruleset that a plan describes. */
function snapshotOf(plan: RedirectPlan): RulesetSnapshot {
  const { hostCount, fingerprintsFile } = plan;
  if (fingerprintsFile !== undefined) fingerprints = JSON.parse(readFileSync(fingerprintsFile, 'utf8'));
  return {
    version: { epoch: EPOCH, seq: hostCount },
    redirects: Array.from({ length: hostCount }, (_, index) => definitionOf(plan, index, 'first')),
    pages: pagesOf(plan),
  };
}

function* pagesOf({ hostCount, pathsPerHost = 0 }: RedirectPlan): Generator<PublishedPage> {
  for (let index = 0; index < hostCount && pathsPerHost > 0; index += 1) {
    yield* benchTable(index, pathsPerHost).pages;
  }
}

let fingerprints: readonly string[] = [];

function certificateOf(host: string, index: number): CertificateReference {
  const fingerprint = fingerprints[index] ?? createHash('sha256').update(host).digest('hex');
  return { fingerprint, notAfter: Date.now() + CERTIFICATE_MS };
}

function definitionOf(plan: RedirectPlan, index: number, edition: Edition): RedirectDefinition {
  const { pathsPerHost = 0, areWildcards = false } = plan;
  const redirect = benchRedirect(index);
  return {
    ...redirect,
    host: areWildcards ? `*.${redirect.host}` : redirect.host,
    ...(pathsPerHost > 0 && { paths: benchTable(index, pathsPerHost).paths }),
    redirectType: 'permanent',
    pathForwarding: true,
    queryForwarding: true,
    samplingRate: plan.samplingRate,
    ...(plan.fingerprintsFile !== undefined && { certificate: certificateOf(redirect.host, index) }),
    ...(plan.rulesPerHost > 0 && { rules: benchRules(index, plan, edition) }),
  };
}

/**
 * Delivers a snapshot at the start, then changes at the rate that the benchmark sets. Each change gives the rules of
 * one redirect other destinations. The feed makes the changes itself, which costs about as much as reading them from a
 * connection. It keeps nothing: definitions would use as much memory as the compiled redirects that are measured.
 */
export function createBenchFeed(plan: RedirectPlan): RulesetFeed {
  let listener: RulesetFeedListener | undefined;
  let timer: NodeJS.Timeout | undefined;
  let changed = 0;

  function change(): void {
    const index = changed % plan.hostCount;
    const redirect = definitionOf(plan, index, editionAfter(changed + 1, index, plan.hostCount));
    const previousSeq = plan.hostCount + changed;
    changed += 1;
    listener?.onDelta({
      version: { epoch: EPOCH, seq: previousSeq + 1 },
      previousSeq,
      changes: [{ host: redirect.host, redirect }],
    });
  }

  function changeRules(perSecond: number): void {
    clearInterval(timer);
    if (perSecond === 0) {
      say({ type: 'changes', count: changed });
      return;
    }
    const startedAtMs = performance.now();
    const changedBefore = changed;
    timer = setInterval(() => {
      const due = changedBefore + Math.floor(((performance.now() - startedAtMs) * perSecond) / 1_000);
      while (changed < due) change();
    }, TICK_MS);
  }

  process.on('message', (message: BenchMessage) => {
    if (message.type === 'change-rules') changeRules(message.perSecond);
  });
  return {
    start(feedListener) {
      listener = feedListener;
      listener.onSnapshot(snapshotOf(plan));
    },
    // None of the changes is lost here: a data plane that has some knows this one to be older.
    requestSnapshot: () => listener?.onSnapshot(snapshotOf(plan)),
    stop() {
      clearInterval(timer);
      listener = undefined;
    },
  };
}

/** A feed whose source cannot be reached. */
export function createSilentFeed(): RulesetFeed {
  return { start() {}, requestSnapshot() {}, stop() {} };
}
