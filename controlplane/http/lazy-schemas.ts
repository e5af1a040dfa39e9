import type { ErrorObject } from 'ajv';
import fastJsonStringify, { type AnySchema } from 'fast-json-stringify';
import type { FastifyInstance, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';

/**
 * Compiles the schemas of answers on first use. A process uses few of its routes, and compiling all schemas takes a
 * quarter of its start.
 */
export function useLazySerialization(app: FastifyInstance): void {
  const serializerOf = compileOnce((schema) => fastJsonStringify(schema as AnySchema));
  const compiler: FastifySerializerCompiler<object> = ({ schema }) => {
    return (data) => serializerOf(schema)(data);
  };
  app.setSerializerCompiler(compiler);
}

export interface Validator {
  (data: unknown): boolean;
  errors?: ErrorObject[] | null;
}

/**
 * Returns a compiler of request schemas that gets the validator only when it validates data.
 *
 * @param validatorFor returns the validator for a schema and its data
 */
export function lazyValidation(
  validatorFor: (schema: object, data: unknown) => Validator,
): FastifySchemaCompiler<object> {
  return ({ schema }) => {
    return (data: unknown) => {
      const validate = validatorFor(schema, data);
      return validate(data) ? { value: data } : { error: validate.errors ?? [] };
    };
  };
}

/** Caches the result of `compile` by schema. Routes that share a schema share it. */
export function compileOnce<Compiled>(compile: (schema: object) => Compiled): (schema: object) => Compiled {
  const compiled = new WeakMap<object, Compiled>();
  return (schema) => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const made = compile(schema);
    compiled.set(schema, made);
    return made;
  };
}
