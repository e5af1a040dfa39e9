import { describe, expect, it } from 'vitest';
import { createAnswerCheck, type OpenApiDocument } from './openapi-answers.fixture.js';

const jsonOf = (schema: Record<string, unknown>) => ({ content: { 'application/json': { schema } } });
const item = {
  type: 'object',
  required: ['id', 'madeAt'],
  properties: {
    id: { type: 'string' },
    madeAt: { type: 'string', format: 'date-time' },
    part: { type: 'object', properties: { size: { type: 'integer' } } },
  },
};
const error = { type: 'object', required: ['error'], properties: { error: { type: 'string' } } };
const document: OpenApiDocument = {
  openapi: '3.1.0',
  paths: {
    '/items/{id}': { get: { responses: { 200: jsonOf(item), '4XX': jsonOf(error) } } },
    '/items/all': { get: { responses: { 200: jsonOf({ type: 'array', items: item }) } } },
  },
};
const check = createAnswerCheck(document);
const good = { id: 'a', madeAt: '2026-01-02T03:04:05.678Z' };
const get = (json: unknown, { url = '/items/a?b=c', status = 200, method = 'GET' } = {}) =>
  check({ method, url, status, json });

describe('the check of answers against the document', () => {
  it('finds nothing wrong with what the document says', () => {
    expect(get(good)).toBeUndefined();
    expect(get({ ...good, part: { size: 1 } })).toBeUndefined();
    expect(get([good], { url: '/items/all' })).toBeUndefined();
    expect(get({ error: 'x' }, { status: 404 })).toBeUndefined();
    expect(get({ error: 'x' }, { status: 404, url: '/nothing' })).toBeUndefined();
  });

  it.each([
    ['a member is missing', get({ id: 'a' })],
    ['a member is not documented', get({ ...good, secret: 1 })],
    ['a member further down is not documented', get({ ...good, part: { secret: 1 } })],
    ['a member has another type', get({ ...good, id: 1 })],
    ['a time is none', get({ ...good, madeAt: 'today' })],
    ['there is no body', get(undefined)],
    ['the status is not documented', get(good, { status: 201 })],
    ['an error has another form', get({ error: { message: 'x' } }, { status: 400 })],
    ['the error of an unknown path has another form', get('Not Found', { status: 404, url: '/nothing' })],
    ['the path is not documented', get(good, { url: '/nothing' })],
    ['the method is not documented', get(good, { method: 'POST' })],
    ['a fixed path is taken for one with a parameter', get(good, { url: '/items/all' })],
  ])('finds that %s', (_what, finding) => {
    expect(finding).toMatch(/(GET|POST) \/\w+/);
  });
});
