import { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { bar, sparkline } from './charts.js';
import { Interrupted } from './command.js';
import { createProgress } from './progress.js';
import { ask } from './prompt.js';
import { printTable } from './table.js';
import { createTerminal } from './terminal.js';

function terminalOf({ isTTY = true, columns = 60, stdin = Readable.from([]), environment = {} } = {}) {
  const output = { text: '' };
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    output.text += chunk.toString();
    done();
  };
  const stream = Object.assign(new Writable({ write }), { isTTY, columns });
  return {
    output,
    terminal: createTerminal(
      { stdin: Object.assign(stdin, { isTTY }), stdout: stream, stderr: stream },
      environment,
    ),
  };
}

describe('charts', () => {
  it.each([
    [[], ''],
    [[0, 0], '▁▁'],
    [[0, 1, 1000], '▁▂█'],
    [[5, 5], '██'],
  ])('draw %j as "%s"', (values, line) => {
    expect(sparkline(values)).toBe(line);
  });

  it('add up values that do not fit', () => {
    expect(sparkline([1, 1, 0, 0, 2, 0], 3)).toBe('█▁█');
    expect(
      sparkline(
        Array.from({ length: 730 }, () => 1),
        60,
      ).length,
    ).toBeLessThanOrEqual(60);
  });

  it('fill bars by percentage, never beyond their width', () => {
    expect([bar(0, 4), bar(50, 4), bar(130, 4)]).toEqual(['░░░░', '██░░', '████']);
  });
});

describe('progress', () => {
  it('shows a bar on a terminal, within its width, and removes it', () => {
    const { output, terminal } = terminalOf();
    const progress = createProgress(terminal, 'Importing');
    progress.show(1500, 3000, 'rows, and much more that does not fit into the line');
    expect(output.text.startsWith('\r\x1b[KImporting ██████████░░░░░░░░░░ 50 %  1,500 of 3,000 rows')).toBe(
      true,
    );
    expect(output.text.length).toBeLessThan(60 + 4);
    progress.end();
    expect(output.text.endsWith('\r\x1b[K')).toBe(true);
  });

  it('writes nothing to a file', () => {
    const { output, terminal } = terminalOf({ isTTY: false });
    createProgress(terminal, 'Importing').show(1, 2);
    expect(output.text).toBe('');
  });
});

it('colors nothing with NO_COLOR, and replaces control characters in tables', () => {
  const { output, terminal } = terminalOf({ environment: { NO_COLOR: '1' } });
  printTable(terminal, ['\u001b[2Jx\u202ey'], [{ title: 'PATH', value: (text) => text, style: () => 'red' }]);
  expect(output.text).toBe('PATH\n\ufffd[2Jx\ufffdy\n');
});

it('ends a question when the input ends', async () => {
  const { terminal } = terminalOf();
  await expect(ask(terminal, 'Token: ', true)).rejects.toThrow(Interrupted);
});
