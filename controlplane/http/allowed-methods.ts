import type { FastifyInstance } from 'fastify';

/** Finds the methods of a path, for requests with another one. */
export type AllowedMethods = (path: string) => readonly string[];

/**
 * Collects the routes that are added from now on. The returned function compares a path with all of them, so it is for
 * requests that matched none.
 */
export function collectAllowedMethods(app: FastifyInstance): AllowedMethods {
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ method, url }) => {
    const methods = methodsByUrl.get(url) ?? new Set();
    methodsByUrl.set(url, methods);
    for (const name of [method].flat()) methods.add(name);
  });

  return (path) => {
    const segments = segmentsOf(path);
    const allowed = new Set<string>();
    for (const [url, methods] of methodsByUrl) {
      if (!matches(segmentsOf(url), segments)) continue;
      for (const method of methods) allowed.add(method);
    }
    return [...allowed].sort();
  };
}

/** A slash at the end is ignored. */
const segmentsOf = (path: string) => path.replace(/^\/|\/$/g, '').split('/');

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, index) =>
    part.startsWith(':') ? segments[index] !== '' : part === segments[index],
  );
}
