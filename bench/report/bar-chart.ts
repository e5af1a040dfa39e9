import type { ServerResult } from '../scenarios/results.js';

type Bar = Pick<ServerResult, 'scenario' | 'server' | 'cpuUsPerRequest'>;

const WIDTH = 720;
const LABEL_WIDTH = 110;
const VALUE_WIDTH = 80;
const BAR_HEIGHT = 20;
const BAR_STEP = 28;
const HEADING_HEIGHT = 40;
const PADDING = 12;

/** CPU time per request as an SVG picture: a group of bars for each scenario, ours in another colour. */
export function drawBarChart(results: readonly Bar[]): string {
  const scenarios = [...new Set(results.map(({ scenario }) => scenario))];
  const largest = Math.max(...results.map(({ cpuUsPerRequest }) => cpuUsPerRequest));
  const scale = (WIDTH - LABEL_WIDTH - VALUE_WIDTH - 2 * PADDING) / largest;
  const body: string[] = [];
  let y = PADDING;
  for (const scenario of scenarios) {
    body.push(text(PADDING, y + 18, `${scenario}: CPU time per request, µs (less is better)`, 'heading'));
    y += HEADING_HEIGHT;
    for (const result of results.filter((candidate) => candidate.scenario === scenario)) {
      body.push(...bar(result, y, scale));
      y += BAR_STEP;
    }
    y += PADDING;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" role="img">`,
    '<title>CPU time per request</title>',
    '<style>text{font:14px sans-serif;fill:#222}.heading{font-weight:bold}rect{fill:#9aa5b1}.ours{fill:#1f6feb}</style>',
    `<rect width="${WIDTH}" height="${y}" style="fill:#fff"/>`,
    ...body,
    '</svg>',
    '',
  ].join('\n');
}

function bar({ server, cpuUsPerRequest }: Bar, y: number, scale: number): string[] {
  const width = (cpuUsPerRequest * scale).toFixed(1);
  const x = PADDING + LABEL_WIDTH;
  const shade = server === 'waymark' ? ' class="ours"' : '';
  return [
    text(PADDING, y + 15, server),
    `<rect x="${x}" y="${y}" width="${width}" height="${BAR_HEIGHT}"${shade}/>`,
    text(x + Number(width) + 8, y + 15, cpuUsPerRequest.toFixed(1)),
  ];
}

function text(x: number, y: number, content: string, style?: string): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x}" y="${y}"${style === undefined ? '' : ` class="${style}"`}>${escaped}</text>`;
}
