import { LRUCache } from 'lru-cache';
import type { RegexAllowance, RegexGuard } from '../../../shared/rules/regex-guard.js';
import { type CompiledRedirect, compileRedirect } from '../../../shared/ruleset/compiled-redirect.js';
import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';

/** Maximum length of the kept definitions in characters. Compiled, they take a multiple of it. */
const MAX_KEPT_LENGTH = 4 * 1024 * 1024;

/** A redirect as data planes have it, and the time allowance of its regexes in explanations. */
export interface TestedRedirect {
  readonly compiled: CompiledRedirect;
  readonly explaining: RegexAllowance;
}

/**
 * Compiles redirects for tests, and keeps them until they change, so that repeated tests share one allowance for
 * regexes.
 */
export function createTestedRedirects(guard: RegexGuard): (definition: RedirectDefinition) => TestedRedirect {
  const kept = new LRUCache<string, TestedRedirect & { readonly text: string }>({
    maxSize: MAX_KEPT_LENGTH,
    sizeCalculation: ({ text }) => text.length,
  });
  return (definition) => {
    const text = JSON.stringify(definition);
    const known = kept.get(definition.id);
    if (known?.text === text) return known;
    const tested = { text, compiled: compileRedirect(definition, guard), explaining: guard.allowance() };
    kept.set(definition.id, tested);
    return tested;
  };
}
