import { expect, it } from 'vitest';
import { ConfigError } from '../../shared/config/environment.js';
import { parseStartArguments } from './start-arguments.js';

it('a start accepts a loss only when it is told to', () => {
  expect(parseStartArguments([])).toEqual({ acceptsAnyLoss: false });
  expect(parseStartArguments(['--accept-empty-database'])).toEqual({ acceptsAnyLoss: true });
});

it('an unknown argument stops the start', () => {
  expect(() => parseStartArguments(['--accept-empty-databse'])).toThrow(ConfigError);
  expect(() => parseStartArguments(['--accept-empty-databse'])).toThrow('--accept-empty-database');
});
