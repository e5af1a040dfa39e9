import { describe, expect, it } from 'vitest';
import { UsageError } from '../deploy/faults/command-line.js';
import { type NamedScenario, parseArguments, usage } from './arguments.js';

const known: readonly NamedScenario[] = [
  { name: 'plain' },
  { name: 'stall', runs: 'full' },
  { name: 'long', runs: 'named', keepsTable: true },
];

describe('the command line', () => {
  it('runs all full scenarios without options, except those that run only on request', () => {
    expect(parseArguments([], known)).toEqual({
      help: false,
      quick: false,
      write: false,
      baseline: false,
      keep: false,
      compare: false,
      jsonFile: undefined,
      load: undefined,
      hits: undefined,
      dataDir: undefined,
      scenarios: ['plain', 'stall'],
      areNamed: false,
    });
  });

  it.each([
    { args: ['--quick'], expected: { quick: true, scenarios: ['plain'] } },
    { args: ['--quick', '--scenario', 'stall'], expected: { quick: true, scenarios: ['stall'] } },
    { args: ['--quick', '--compare'], expected: { quick: true, compare: true } },
    { args: ['--quick', '--baseline'], expected: { quick: true, baseline: true, scenarios: ['plain'] } },
    { args: ['--write'], expected: { write: true, keep: true, scenarios: ['plain', 'stall'] } },
    { args: ['--write', '--scenario=plain'], expected: { write: true, scenarios: ['plain'] } },
    {
      args: ['--write', '--data', '/kept'],
      expected: { scenarios: ['plain', 'stall', 'long'], dataDir: '/kept' },
    },
    { args: ['--load', 'autocannon'], expected: { load: 'autocannon' } },
    { args: ['--json', 'out.json'], expected: { jsonFile: 'out.json' } },
    { args: ['--scenario', 'stall'], expected: { scenarios: ['stall'], areNamed: true } },
    { args: ['--scenario=stall', '--scenario=plain'], expected: { scenarios: ['plain', 'stall'] } },
    { args: ['--scenario=long', '--hits', '1000'], expected: { scenarios: ['long'], hits: 1_000 } },
    { args: ['--scenario=long', '--data', '/kept'], expected: { scenarios: ['long'], dataDir: '/kept' } },
    { args: ['-h'], expected: { help: true } },
  ])('$args is understood', ({ args, expected }) => {
    expect(parseArguments(args, known)).toMatchObject(expected);
  });

  it.each([
    { args: ['--fast'], message: /--fast/ },
    { args: ['plain'], message: /plain/ },
    { args: ['--scenario', 'other'], message: 'there is no scenario "other"; there are: plain, stall, long' },
    { args: ['--write', '--quick'], message: /leave out --quick/ },
    { args: ['--baseline', '--compare'], message: /leave out --write, --compare/ },
    { args: ['--baseline', '--scenario=plain'], message: /runs what it stores/ },
    { args: ['--baseline', '--write'], message: /leave out --write/ },
    { args: ['--load=ab'], message: '--load takes autocannon or wrk' },
    { args: ['--hits=0'], message: '--hits takes a whole number' },
    { args: ['--hits', '1e6'], message: '--hits takes a whole number' },
    { args: ['--scenario=long', '--data='], message: '--data takes the name of a folder' },
    { args: ['--data=/kept'], message: '--data keeps the table of long: name it' },
    { args: ['--scenario=plain', '--data=/kept'], message: '--data keeps the table of long: name it' },
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
