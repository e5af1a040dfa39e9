import { expect, it } from 'vitest';
import { formatResultsPage } from './results-page.js';
import { storedRun } from './stored-run.fixture.js';

const row = (server: string, figures: Record<string, number>) => ({ scenario: 'plain', server, figures });
const before = storedRun({
  at: '2026-11-01T12:00:00.000Z',
  rows: [row('waymark', { cpuUsPerRequest: 10, ratioToNginx: 1.2 }), row('nginx', { cpuUsPerRequest: 8 })],
});
const newest = storedRun({
  at: '2026-11-02T12:00:00.000Z',
  rows: [row('waymark', { cpuUsPerRequest: 5, ratioToNginx: 0.9 }), row('nginx', { cpuUsPerRequest: 8 })],
});

it('shows each goal in each run, whether it is met, and the change', () => {
  const page = formatResultsPage([before, newest]);
  expect(page).toContain('<span class="missed" title="missed">1.2</span>');
  expect(page).toContain('<span class="met" title="met">0.9</span>');
  expect(page).toContain('−25.0 %');
});

it('draws a chart for each scenario, with a bar for each run', () => {
  const page = formatResultsPage([before, newest]);
  const widths = [...page.matchAll(/<rect class="(\w+)"[^>]* width="([\d.]+)"/g)].map(([, name, width]) => [
    name,
    Number(width),
  ]);
  const [[, full] = []] = widths.filter(([name]) => name === 'earlier');
  expect(widths).toEqual([
    ['newest', Number(full) / 2],
    ['earlier', full],
    ['newest', Number(full) * 0.8],
    ['earlier', Number(full) * 0.8],
  ]);
});

it('compares only runs of the same pace', () => {
  const quick = storedRun({ pace: 'quick', rows: [row('waymark', { ratioToNginx: 9.87 })] });
  expect(formatResultsPage([quick, newest])).not.toContain('9.87');
});

it('loads nothing and runs no script', () => {
  const page = formatResultsPage([newest]);
  expect(page).not.toMatch(/<script|<link|src=|url\(/);
});

it('escapes names', () => {
  const page = formatResultsPage([storedRun({ rows: [row('<b>"x"&', { cpuUsPerRequest: 1 })] })]);
  expect(page).toContain('&lt;b>&quot;x&quot;&amp;');
  expect(page).not.toContain('<b>');
});

it('refuses to show nothing', () => {
  expect(() => formatResultsPage([])).toThrow('no run');
});
