import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { atOnce } from '../../shared/async/in-turns.js';
import { compileOnce } from './lazy-schemas.js';
import { createLongLists } from './long-lists.js';

const ajv = new Ajv({ useDefaults: true });
const lists = createLongLists(compileOnce((schema) => ajv.compile(schema)));
const SCHEMA = {
  type: 'object',
  required: ['entries'],
  properties: {
    name: { type: 'string' },
    entries: {
      type: 'array',
      maxItems: 3_000,
      items: {
        type: 'object',
        required: ['source'],
        properties: { source: { type: 'string' }, enabled: { type: 'boolean', default: true } },
      },
    },
  },
};
const bodyOf = (length: number) => ({ entries: Array.from({ length }, (_, at) => ({ source: `/${at}` })) });

it('concerns lists of more than 1,000 items', () => {
  expect(lists.concern(SCHEMA, bodyOf(1_000))).toBe(false);
  expect(lists.concern(SCHEMA, bodyOf(1_001))).toBe(true);
  expect(lists.concern(SCHEMA, { entries: 'x' })).toBe(false);
  expect(lists.concern(SCHEMA, { name: 'x' })).toBe(false);
});

it('validates items in steps, sets their defaults, and leaves only the rest', () => {
  const body = bodyOf(2_000);
  const steps = lists.validateInSteps(SCHEMA, body);
  let count = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count += 1;
  expect(step.value).toBeUndefined();
  expect(count).toBeGreaterThan(20);
  expect(body.entries[1_999]).toEqual({ source: '/1999', enabled: true });
  const rest = lists.restOf(SCHEMA, body);
  expect(rest).toMatchObject({
    required: ['entries'],
    properties: { name: { type: 'string' }, entries: { type: 'array', maxItems: 3_000 } },
  });
  expect(rest).not.toHaveProperty('properties.entries.items');
  expect(lists.restOf(SCHEMA, body)).toBe(rest);
  expect(lists.restOf(SCHEMA, bodyOf(2_000))).toBe(SCHEMA);
});

it('names the place of the first violation, and validates the whole if there is one', () => {
  const body = bodyOf(2_000);
  body.entries[1_234] = { source: 5 } as never;
  const violation = atOnce(lists.validateInSteps(SCHEMA, body));
  expect(violation).toMatchObject({ instancePath: '/entries/1234/source', keyword: 'type' });
  expect(lists.restOf(SCHEMA, body)).toBe(SCHEMA);
});
