import { describe, expect, it } from 'vitest';
import { finishDocument, type OpenApiDocument } from './document.js';

type Json = Readonly<Record<string, unknown>>;

const json = (schema: Json) => ({ content: { 'application/json': { schema } } });
const text = { type: 'string' };
const object = (properties: Readonly<Record<string, Json>>, more: Json = {}) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
  ...more,
});
const error = object({ error: object({ code: text }) }, { title: 'Error' });
const place = object({ city: { ...text, description: 'Of the visitor, in English.' }, country: text });

function finish(...responses: readonly Json[]) {
  const paths = Object.fromEntries(
    responses.map((schema, index) => [
      `/thing${index}`,
      {
        get: { operationId: `getThing${index}`, responses: { 200: { description: 'OK', ...json(schema) } } },
      },
    ]),
  );
  const { components, paths: finished } = finishDocument({ paths }, error) as unknown as {
    components: { schemas: Readonly<Record<string, Json>> };
    paths: Readonly<Record<string, { get: { responses: Json } }>>;
  };
  const { Error: _error, ...schemas } = components.schemas;
  const bodies = Object.values(finished).map(
    ({ get }) => (get.responses[200] as ReturnType<typeof json>).content['application/json'].schema,
  );
  return { schemas, bodies, operations: Object.values(finished).map(({ get }) => get) };
}

describe('components of the document', () => {
  it('are named by title, and are one for the same shape in several places', () => {
    const thing = object({ id: text }, { title: 'Thing' });
    const { schemas, bodies } = finish(thing, { type: 'array', items: thing });
    expect(bodies).toEqual([
      { $ref: '#/components/schemas/Thing' },
      { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
    ]);
    expect(Object.keys(schemas)).toEqual(['Thing']);
    expect(schemas.Thing).not.toHaveProperty('title');
  });

  it('are named by the operation for bodies without a title', () => {
    expect(finish(object({ id: text })).bodies).toEqual([{ $ref: '#/components/schemas/GetThing0Response' }]);
  });

  it('are named by their property where a shape without a title is repeated', () => {
    const { schemas } = finish(
      object({ from: place, visits: { type: 'array', items: place } }, { title: 'One' }),
      object({ from: place, data: place }, { title: 'Other' }),
    );
    expect(Object.keys(schemas)).toEqual(['From', 'One', 'Other']);
    expect(schemas.One).toMatchObject({
      properties: { visits: { items: { $ref: '#/components/schemas/From' } } },
    });
  });

  it('keep what one place says of the shape beside the reference', () => {
    const { schemas } = finish(
      object({ from: place, to: { ...place, description: 'Afterwards.' } }, { title: 'Trip' }),
    );
    expect(schemas.Trip).toMatchObject({
      properties: {
        from: { $ref: '#/components/schemas/From' },
        to: { $ref: '#/components/schemas/From', description: 'Afterwards.' },
      },
    });
  });

  it('cannot be two shapes of one title', () => {
    const things = [object({ id: text }, { title: 'Thing' }), object({ name: text }, { title: 'Thing' })];
    expect(() => finish(...things)).toThrow('Two different schemas have the title Thing');
  });
});

describe('parameters of the document', () => {
  it('give the short name to the most frequent one', () => {
    const operation = (operationId: string, maximum: number) => ({
      get: {
        operationId,
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum } }],
        responses: {},
      },
    });
    const maxima = [10, 10, 50, 50, 50, 7];
    const paths = Object.fromEntries(maxima.map((maximum, at) => [`/${at}`, operation(`get${at}`, maximum)]));
    const document: OpenApiDocument = { paths };
    const { components } = finishDocument(document, error);
    expect(components?.parameters).toMatchObject({
      Limit: { schema: { maximum: 50 } },
      LimitOfGet0: { schema: { maximum: 10 } },
    });
    expect(Object.keys(components?.parameters as object)).toHaveLength(2);
  });
});

describe('the document', () => {
  it('has no keywords of our own, and short nullable values', () => {
    const { schemas } = finish(
      object(
        {
          name: { anyOf: [{ ...text, accepts: 'a name' }, { type: 'null' }] },
          code: { anyOf: [{ type: 'integer', enum: [410] }, { type: 'null' }] },
        },
        { title: 'Thing' },
      ),
    );
    expect(schemas.Thing).toMatchObject({
      properties: {
        name: { type: ['string', 'null'] },
        code: { type: ['integer', 'null'], enum: [410, null] },
      },
    });
    expect(JSON.stringify(schemas)).not.toContain('accepts');
  });

  it('gives every operation the shared errors', () => {
    expect(finish(object({ id: text })).operations[0]?.responses).toMatchObject({
      '4XX': { $ref: '#/components/responses/4XX' },
      '5XX': { $ref: '#/components/responses/5XX' },
    });
  });

  it('has examples of components, and none twice', () => {
    const inner = object({ city: text, country: text }, { title: 'Place' });
    const { schemas } = finish(
      object({ from: inner, name: { ...text, examples: ['A'] } }, { title: 'Thing' }),
    );
    expect(schemas.Place).toMatchObject({
      properties: { city: { examples: ['Berlin'] }, country: { examples: ['DE'] } },
    });
    expect(schemas.Thing).not.toHaveProperty('examples');
  });
});
