import { pino } from 'pino';
import { expect, it } from 'vitest';
import { readableLine } from './readable-lines.js';

function written(log: (logger: pino.Logger) => void): string {
  const lines: string[] = [];
  log(pino({ name: 'waymark' }, { write: (line) => void lines.push(readableLine(line)) }));
  return lines.join('');
}

it('a line shows time, level, message and members', () => {
  expect(written((logger) => logger.warn({ hosts: 2, problem: 'none at all' }, 'ruleset state'))).toMatch(
    /^\d\d:\d\d:\d\d WARN {2}ruleset state hosts=2 problem=none at all\n$/,
  );
});

it('an error shows its stack below', () => {
  expect(written((logger) => logger.error({ err: new Error('it failed') }, 'request failed'))).toMatch(
    /^\d\d:\d\d:\d\d ERROR request failed\nError: it failed\n {4}at /,
  );
});

it('a line without a message is a line all the same', () => {
  expect(written((logger) => logger.info({ a: 1 }))).toMatch(/^\d\d:\d\d:\d\d INFO {3}a=1\n$/);
});
