/** Scopes of tokens. Each route names its scope in `config.scope`. */
export const SCOPES = [
  'redirects:read',
  'redirects:write',
  'analytics:read',
  'billing:read',
  'billing:write',
  'tokens:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Those of `words` that are scopes, each once, in the order of {@link SCOPES}. */
export function scopesAmong(words: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => words.includes(scope));
}
