import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOf, ignoring, messageOf } from './error-facts.js';

const coded = (code: unknown, message = 'it failed') => Object.assign(new Error(message), { code });

describe('the code of an error', () => {
  it.each<[string, unknown, string | undefined]>([
    ['an error with one', coded('EPERM'), 'EPERM'],
    ['an error without one', new Error('it failed'), undefined],
    ['an error whose code was never set', coded(undefined), undefined],
    ['an error whose code is empty', coded(''), undefined],
    ['an exception of the web, which has a number', new DOMException('ended', 'AbortError'), undefined],
    ['what is no error', { code: 'EPERM' }, undefined],
    ['a text', 'EPERM', undefined],
    ['nothing', undefined, undefined],
    ['null', null, undefined],
  ])('of %s', (_what, error, code) => {
    expect(codeOf(error)).toBe(code);
  });

  it('is that of the system when a file is missing', async () => {
    const error = await readFile(missingFile()).catch((reason: unknown) => reason);
    expect(codeOf(error)).toBe('ENOENT');
  });
});

describe('the message of a thrown value', () => {
  it.each<[string, unknown, string]>([
    ['an error', new TypeError('it failed'), 'it failed'],
    ['an error that says nothing', new AggregateError([new Error('one')]), 'AggregateError'],
    ['a text', 'it failed', 'it failed'],
    ['a number', 7, '7'],
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['what Emscripten throws on a full disk', { name: 'ErrnoError', errno: 51 }, 'no space left on device'],
    ['another number of Emscripten', { name: 'ErrnoError', errno: 76 }, 'ErrnoError 76'],
    ['an object with a message', { message: 'it failed' }, 'it failed'],
    ['an object that says nothing', {}, 'unknown error'],
  ])('of %s', (_what, error, words) => {
    expect(messageOf(error)).toBe(words);
  });
});

describe('ignoring a code', () => {
  it('makes nothing of the error that has it', async () => {
    expect(await readFile(missingFile()).catch(ignoring('ENOENT'))).toBeUndefined();
  });

  it.each([
    ['another code', coded('EACCES')],
    ['none', new Error('ENOENT')],
  ])('throws the very error that has %s', (_what, error) => {
    expect(() => ignoring('ENOENT')(error)).toThrow(error);
  });
});

function missingFile(): string {
  return path.join(import.meta.dirname, 'there-is-no-such-file');
}
