import { describe, expect, it } from 'vitest';
import { parseArguments, UsageError, usage } from './arguments.js';

const known = [{ name: 'plain' }, { name: 'stall' }, { name: 'long', onRequest: true as const }];

describe('the command line', () => {
  it('without options runs every scenario at length, but for those that want to be asked for', () => {
    expect(parseArguments([], known)).toEqual({
      help: false,
      quick: false,
      write: false,
      jsonFile: undefined,
      hits: undefined,
      scenarios: ['plain', 'stall'],
    });
  });

  it.each([
    { args: ['--quick'], expected: { quick: true } },
    { args: ['--write'], expected: { write: true } },
    { args: ['--json', 'out.json'], expected: { jsonFile: 'out.json' } },
    { args: ['--scenario', 'stall'], expected: { scenarios: ['stall'] } },
    { args: ['--scenario=stall', '--scenario=plain'], expected: { scenarios: ['plain', 'stall'] } },
    { args: ['--scenario=long', '--hits', '1000'], expected: { scenarios: ['long'], hits: 1_000 } },
    { args: ['-h'], expected: { help: true } },
  ])('$args is understood', ({ args, expected }) => {
    expect(parseArguments(args, known)).toMatchObject(expected);
  });

  it.each([
    { args: ['--fast'], message: /--fast/ },
    { args: ['plain'], message: /plain/ },
    { args: ['--scenario', 'other'], message: 'there is no scenario "other"; there are: plain, stall, long' },
    { args: ['--write', '--quick'], message: /leave out --quick/ },
    { args: ['--write', '--scenario=plain'], message: /whole run/ },
    { args: ['--hits=0'], message: '--hits takes a whole number' },
    { args: ['--hits', '1e6'], message: '--hits takes a whole number' },
    { args: ['--json'], message: /--json/ },
    { args: ['--json='], message: '--json takes the name of a file' },
    { args: ['--quick=yes'], message: /quick/ },
  ])('$args is refused', ({ args, message }) => {
    expect(() => parseArguments(args, known)).toThrow(UsageError);
    expect(() => parseArguments(args, known)).toThrow(message);
  });
});

it('the help names every scenario', () => {
  const text = usage([
    { name: 'plain', summary: 'first' },
    { name: 'stall', summary: 'second' },
  ]);
  expect(text).toMatch(/plain +first/);
  expect(text).toMatch(/stall +second/);
});
