import { describe, expect, it } from 'vitest';
import {
  type DataplaneReport,
  encodeDataplaneReport,
  MAX_REPORT_CHARACTERS,
  parseDataplaneReport,
} from './dataplane-report.js';

const REPORT: DataplaneReport = {
  id: 'a1b2c3',
  host: 'edge-1',
  pid: 4711,
  version: { epoch: 1_700_000_000, seq: 12 },
  state: 'live',
  ageMs: 350,
  startedAt: '2026-01-02T03:04:05.678Z',
  reportedAt: '2026-01-02T03:05:05.678Z',
};
const COLD: DataplaneReport = { ...REPORT, version: null, state: 'cold', ageMs: null };

describe('the report of a data plane', () => {
  it.each<[string, DataplaneReport]>([
    ['one that serves', REPORT],
    ['one that serves nothing yet', COLD],
    ['one with a problem', { ...REPORT, state: 'stale', lastError: 'Redis is gone' }],
  ])('comes back as it was encoded: %s', (_name, report) => {
    expect(parseDataplaneReport(encodeDataplaneReport(report))).toEqual(report);
  });

  it('is encoded with a long error cut, so that it can be read again', () => {
    const encoded = encodeDataplaneReport({ ...REPORT, lastError: '"\n'.repeat(100_000) });
    expect(encoded.length).toBeLessThanOrEqual(MAX_REPORT_CHARACTERS);
    expect(parseDataplaneReport(encoded)?.lastError).toMatch(/^("\n){500}$/);
  });

  it('is read without unknown members', () => {
    const text = JSON.stringify({ ...REPORT, colour: 'green', version: { ...REPORT.version, branch: 'x' } });
    expect(parseDataplaneReport(text)).toEqual(REPORT);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a list', [REPORT]],
    ['an empty id', { ...REPORT, id: '' }],
    ['an overlong host', { ...REPORT, host: 'h'.repeat(256) }],
    ['a pid that is a text', { ...REPORT, pid: '4711' }],
    ['no version', { ...REPORT, version: undefined }],
    ['a version that is a text', { ...REPORT, version: '1700000000.12' }],
    ['a version with a negative seq', { ...REPORT, version: { epoch: 1, seq: -1 } }],
    ['an unknown state', { ...REPORT, state: 'fine' }],
    ['an inherited name for a state', { ...REPORT, state: 'length' }],
    ['a negative age', { ...REPORT, ageMs: -1 }],
    ['an error that is no text', { ...REPORT, lastError: {} }],
    ['an overlong error', { ...REPORT, lastError: 'e'.repeat(1_001) }],
    ['a start that is no moment', { ...REPORT, startedAt: 'yesterday' }],
    ['a moment in another form', { ...REPORT, reportedAt: '2026-01-02' }],
  ])('is refused when it is or has %s', (_name, value) => {
    expect(parseDataplaneReport(JSON.stringify(value))).toBeUndefined();
  });

  it.each(['', 'hello', '{"id":', `${JSON.stringify(REPORT)}${' '.repeat(MAX_REPORT_CHARACTERS)}`])(
    'is refused when the text is none, or too long (%#)',
    (text) => {
      expect(parseDataplaneReport(text)).toBeUndefined();
    },
  );
});
