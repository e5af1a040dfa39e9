import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../shared/config/package-root.js';
import { AppError, errorBody } from './app-error.js';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';

const codes = Object.keys(ERROR_CODES) as ErrorCode[];

function controlplaneSources(): string[] {
  const folder = path.join(packageRoot(), 'controlplane');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'));
}

describe('the registry of error codes', () => {
  const sources = controlplaneSources().join('\n');

  it.each(codes)('has %s because something answers with it', (code) => {
    expect(sources).toContain(`new AppError('${code}'`);
  });

  it.each(codes)('gives %s a status of an error and a meaning in a sentence', (code) => {
    const { status, meaning } = ERROR_CODES[code];
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(meaning).toMatch(/^[A-Z].*\.$/);
  });
});

describe('an error that is an answer', () => {
  it('shows its message, code and field, and nothing of what is internal', () => {
    const cause = new Error('connection to db.internal refused');
    const error = new AppError('VALIDATION_ERROR', { message: 'm', field: 'f', detail: 'internal', cause });
    expect(error.status).toBe(422);
    expect(error.cause).toBe(cause);
    expect(JSON.stringify(errorBody(error))).toBe(
      '{"error":{"message":"m","code":"VALIDATION_ERROR","field":"f"}}',
    );
  });

  it('has no field where none is given', () => {
    expect(errorBody(new AppError('NOT_FOUND', { message: 'm' }))).toEqual({
      error: { message: 'm', code: 'NOT_FOUND' },
    });
  });
});
