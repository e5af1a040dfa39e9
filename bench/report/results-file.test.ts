import { expect, it } from 'vitest';
import { replaceResults } from './write-report.js';

const readme = `# Title

<!-- results: written by \`npm run bench -- --write\` -->
old
<!-- end of results -->

after
`;

it('results replace what stands between the markers, and nothing else', () => {
  const written = replaceResults(readme, 'new\n');
  expect(written).toContain('-->\n\nnew\n\n<!-- end of results -->\n\nafter\n');
  expect(written).toMatch(/^# Title\n/);
  expect(written).not.toContain('old');
});

it('writing the same results twice changes nothing', () => {
  const once = replaceResults(readme, 'new');
  expect(replaceResults(once, 'new')).toBe(once);
});

it('a README without markers is refused', () => {
  expect(() => replaceResults('# Title', 'new')).toThrow('lacks the markers');
});
