interface Operation {
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string }[];
}

/**
 * Returns the operations that check examples of redirects: those with the parameter `force`.
 *
 * @param paths of the OpenAPI document
 */
export function operationsWithForce(
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>,
): ReadonlySet<string> {
  const names = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { parameters = [] }]) =>
        parameters.some(({ name, $ref }) => name === 'force' || $ref?.toLowerCase().endsWith('/force')),
      )
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  return new Set(names);
}
