import { describe, expect, it } from 'vitest';
import {
  ConfigError,
  cidrList,
  emailAddress,
  oneOf,
  originList,
  parseEnvironment,
  positiveNumber,
  serverList,
  text,
  urlOf,
  wholeNumber,
} from './environment.js';

const kinds = {
  'a whole number': wholeNumber(0, 65_535)(),
  'a positive number': positiveNumber(1000)(),
  'a word': oneOf(['open', 'closed'])(),
  text: text(10)(),
  'a URL': urlOf('http', 'https')(),
  'an e-mail address': emailAddress(),
  servers: serverList('kafka-1:9092')(),
  'CIDR ranges': cidrList(),
  origins: originList(),
};

const parse = (kind: keyof typeof kinds, value: string) =>
  parseEnvironment({ VALUE: value }, { VALUE: kinds[kind] }).VALUE;

describe('a variable', () => {
  it.each<{ kind: keyof typeof kinds; value: string; parsed: unknown }>([
    { kind: 'a whole number', value: '0', parsed: 0 },
    { kind: 'a whole number', value: ' 65535 ', parsed: 65_535 },
    { kind: 'a positive number', value: '0.5', parsed: 0.5 },
    { kind: 'a word', value: ' Closed', parsed: 'closed' },
    { kind: 'text', value: ' two words ', parsed: 'two words' },
    { kind: 'a URL', value: 'https://api.example/', parsed: 'https://api.example' },
    { kind: 'a URL', value: 'http://127.0.0.1:3000/base', parsed: 'http://127.0.0.1:3000/base' },
    { kind: 'an e-mail address', value: ' Owner@waymark.example', parsed: 'Owner@waymark.example' },
    {
      kind: 'servers',
      value: 'a.b-c:1, [::1]:65535,10.0.0.1:53',
      parsed: ['a.b-c:1', '[::1]:65535', '10.0.0.1:53'],
    },
    { kind: 'CIDR ranges', value: '10.0.0.0/8,::1,fd00::/8,', parsed: ['10.0.0.0/8', '::1', 'fd00::/8'] },
    { kind: 'origins', value: 'https://app.example, *', parsed: ['https://app.example', '*'] },
  ])('that takes $kind may be $value', ({ kind, value, parsed }) => {
    expect(parse(kind, value)).toEqual(parsed);
  });

  it.each<[keyof typeof kinds, string]>([
    ['a whole number', '65536'],
    ['a whole number', '-1'],
    ['a whole number', '1.5'],
    ['a whole number', '0x10'],
    ['a whole number', '1e3'],
    ['a whole number', 'three'],
    ['a positive number', '0'],
    ['a positive number', '-1'],
    ['a positive number', '1001'],
    ['a positive number', 'Infinity'],
    ['a positive number', 'much'],
    ['a word', 'ajar'],
    ['text', 'more than ten characters'],
    ['a URL', 'api.example'],
    ['a URL', 'ftp://api.example'],
    ['an e-mail address', 'notanemail'],
    ['an e-mail address', 'one@waymark.example, two@waymark.example'],
    ['an e-mail address', `${'x'.repeat(254)}@waymark.example`],
    ['servers', 'kafka.example'],
    ['servers', '127.0.0.1'],
    ['servers', '127.0.0.1:65536'],
    ['servers', '::1:53'],
    ['servers', 'kafka://kafka.example:9092'],
    ['servers', 'kafka.example:0'],
    ['servers', '[kafka]:9092'],
    ['servers', 'one:9092,two'],
    ['servers', ','],
    ['CIDR ranges', '10.0.0.0/33'],
    ['CIDR ranges', '10.0.0/8'],
    ['CIDR ranges', '10.0.0.0/8/8'],
    ['CIDR ranges', 'all'],
    ['origins', 'https://app.example/'],
    ['origins', 'app.example'],
  ])('that takes %s may not be %s', (kind, value) => {
    expect(() => parse(kind, value)).toThrow(ConfigError);
    expect(() => parse(kind, value)).toThrow(/^VALUE takes /);
  });

  it('that is empty counts as absent', () => {
    const specs = { VALUE: wholeNumber(0, 10)({ default: 7 }) };
    expect(parseEnvironment({ VALUE: '' }, specs).VALUE).toBe(7);
    expect(parseEnvironment({ VALUE: '  ' }, specs).VALUE).toBe(7);
  });

  it('that is missing and has no default is named', () => {
    expect(() => parseEnvironment({}, { VALUE: text()() })).toThrow('VALUE is required');
  });

  it.each([
    ['x', 'one character'],
    ['xy', '2 characters'],
  ])('that is wrong is told by its length: %s', (value, size) => {
    expect(() => parse('a whole number', value)).toThrow(`not a value of ${size} like the one given`);
  });

  it('that is wrong is not repeated: it may be a secret in the wrong place', () => {
    for (const kind of [
      'a word',
      'a whole number',
      'a URL',
      'an e-mail address',
      'servers',
      'origins',
    ] as const) {
      expect(() => parse(kind, 'wm_secret'), kind).not.toThrow('wm_secret');
    }
  });

  it('is named along with every other that is wrong', () => {
    const specs = { ONE: wholeNumber(0, 1)(), TWO: cidrList(), THREE: text()() };
    const parseAll = () => parseEnvironment({ ONE: 'x', TWO: 'y', THREE: 'z' }, specs);
    expect(parseAll).toThrow(/ONE takes/);
    expect(parseAll).toThrow(/TWO takes/);
    expect(parseAll).not.toThrow(/THREE/);
  });
});

describe('the parsed environment', () => {
  it('cannot be changed', () => {
    const values = parseEnvironment({ VALUE: 'a' }, { VALUE: text()() });
    expect(Object.isFrozen(values)).toBe(true);
  });
});
