import { expect, it } from 'vitest';
import { storedRun } from '../history/stored-run.fixture.js';
import { GOALS } from './goals.js';
import { formatReport, sectionsOf } from './write-report.js';

const SCENARIOS = ['plain', 'updates', 'list'].map((name) => ({ name, summary: `about ${name}` }));
const row = (scenario: string, figures: Record<string, number>) => ({ scenario, server: 'waymark', figures });
const whole = storedRun({
  at: '2026-11-01T12:00:00.000Z',
  commit: 'aaaaaaaabbbb',
  rows: [
    row('plain', { connections: 64, cpuUsPerRequest: 12.34, ratioToNginx: 1.23 }),
    row('updates', { ratioToQuiet: 1.11 }),
  ],
  reports: { plain: 'old plain', updates: 'old updates' },
});
const part = storedRun({
  at: '2026-11-02T12:00:00.000Z',
  commit: 'ccccccccdddd',
  rows: [row('plain', { connections: 64, cpuUsPerRequest: 9.87, ratioToNginx: 0.98 })],
  reports: { plain: 'new plain' },
});

it('takes each scenario from the newest run that measured it', () => {
  const { markdown, chart } = formatReport([whole, part], SCENARIOS);
  expect(markdown).toMatch(/## plain\n\nAbout plain\. Measured on 2026-11-02 at cccccccc .*\n\nnew plain/);
  expect(markdown).toMatch(
    /## updates\n\nAbout updates\. Measured on 2026-11-01 at aaaaaaaa .*\n\nold updates/,
  );
  expect(markdown).toContain('0.98');
  expect(markdown).not.toContain('1.23');
  expect(markdown).not.toContain('## list');
  expect(chart).toContain('9.9');
  expect(chart).not.toContain('12.3');
});

it('leaves out short rounds', () => {
  const quick = storedRun({ pace: 'quick', reports: { plain: 'quick plain' } });
  expect(formatReport([whole, quick], SCENARIOS).markdown).toContain('old plain');
});

it('keeps sections and goals that no kept run has measured, and runs without reports', () => {
  const former = sectionsOf(`<!-- results: written by \`npm run bench -- --write\` -->

Measured with Node 20.

## Goals

| goal | measured | ratio |
| --- | ---: | ---: |
| ${GOALS.find(({ scenario }) => scenario === 'updates')?.text}: ≤ 1.00 × quiet | 1,234.5 | 2 |
| ${GOALS.find(({ scenario }) => scenario === 'plain')?.text}: ≤ 1.00 × nginx | 7.77 | 2 |

## plain

About plain.

## updates

About updates, once.

<!-- end of results -->`);
  const { reports: _none, ...earlier } = storedRun({ rows: whole.rows });
  const { markdown, chart } = formatReport([earlier, part], SCENARIOS, former);
  expect(markdown).toMatch(/^Measured with Node 20\.\n\n## Goals/);
  expect(markdown).toContain('## updates\n\nAbout updates, once.');
  expect(markdown).toContain('new plain');
  expect(markdown).not.toContain('7.77');
  expect(markdown).toMatch(/ 1,23[45] /);
  expect(chart).toBeUndefined();
});
