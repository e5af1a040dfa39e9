import { describe, expect, it } from 'vitest';
import { encodeDataplaneReport, parseDataplaneReport } from './dataplane-report.js';
import {
  decodeDelta,
  decodeManifest,
  encodeDelta,
  encodeManifest,
  parseIdentity,
  SNAPSHOT_FORMAT,
} from './ruleset-codec.js';
import { decodeDocumentHead, encodeDocumentHead } from './ruleset-document.js';
import {
  formatIdentity,
  isOtherDatabase,
  isOtherHistory,
  isVersion,
  type RulesetVersion,
} from './ruleset-version.js';

const LINEAGE = 'aaaaaaaaaaaa-000000000001';
const NUMBERS: RulesetVersion = { epoch: 1_700_000_000, seq: 9 };
const VERSION: RulesetVersion = { ...NUMBERS, lineage: LINEAGE, removals: 3 };

const throughDelta = (version: RulesetVersion) =>
  decodeDelta(encodeDelta({ version, previousSeq: 8, changes: [] })).version;

const manifestOf = (version: RulesetVersion) =>
  ({ format: SNAPSHOT_FORMAT, id: 'x', version, count: 0, appended: 0, chunks: [] }) as const;

const throughManifest = (version: RulesetVersion) =>
  decodeManifest(encodeManifest(manifestOf(version))).version;

const throughDocument = (version: RulesetVersion) =>
  decodeDocumentHead(encodeDocumentHead(manifestOf(version), []).toString('utf8')).manifest.version;

const throughReport = (version: RulesetVersion) =>
  parseDataplaneReport(
    encodeDataplaneReport({
      id: 'a',
      host: 'edge-1',
      pid: 1,
      version,
      hosts: 7,
      state: 'live',
      ageMs: 1,
      startedAt: '2026-01-02T03:04:05.678Z',
      reportedAt: '2026-01-02T03:05:05.678Z',
    }),
  )?.version;

describe.each([
  ['a delta', throughDelta],
  ['the manifest of a snapshot', throughManifest],
  ['a document', throughDocument],
  ['a report', throughReport],
  ['the head in Redis', (version: RulesetVersion) => parseIdentity(formatIdentity(version))],
])('in %s', (_name, through) => {
  it('a version keeps its lineage and its removals', () => {
    expect(through(VERSION)).toEqual(VERSION);
  });

  it('a version of an older release has neither', () => {
    expect(through(NUMBERS)).toEqual(NUMBERS);
  });
});

it('a delta keeps the lineage that it begins at', () => {
  const delta = { version: VERSION, previousSeq: 8, previousLineage: LINEAGE, changes: [] };
  expect(decodeDelta(encodeDelta(delta))).toEqual(delta);
});

it.each([
  ['', undefined],
  ['1.2 nonsense', undefined],
  [`1.2 ${LINEAGE} -3`, undefined],
  [`1.2 ${LINEAGE}`, { epoch: 1, seq: 2, lineage: LINEAGE }],
])('the identity in %j is read for what it is', (text, version) => {
  expect(parseIdentity(text)).toEqual(version);
});

it.each([[{ ...VERSION, lineage: 'A' }], [{ ...VERSION, lineage: 7 }], [{ ...VERSION, removals: -1 }]])(
  '%j is no version',
  (value) => {
    expect(isVersion(value)).toBe(false);
  },
);

it('histories differ by their lineage where the numbers are equal, databases whatever the numbers', () => {
  const other = { ...VERSION, lineage: 'aaaaaaaaaaaa-000000000002' };
  const foreign = { ...VERSION, seq: 1, lineage: 'bbbbbbbbbbbb-000000000001' };
  expect(isOtherHistory(VERSION, other)).toBe(true);
  expect(isOtherHistory(VERSION, { ...other, seq: 10 })).toBe(false);
  expect(isOtherHistory(VERSION, NUMBERS)).toBe(false);
  expect(isOtherDatabase(VERSION, other)).toBe(false);
  expect(isOtherDatabase(VERSION, foreign)).toBe(true);
  expect(isOtherDatabase(NUMBERS, foreign)).toBe(false);
});
