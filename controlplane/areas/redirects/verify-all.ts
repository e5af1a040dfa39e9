import { AppError, errorBody } from '../../errors/app-error.js';
import type { VerificationReport } from '../domains/public.js';

/** Maximum look-ups under way in one request. */
const AT_ONCE = 16;

export type DomainResult = VerificationReport | ({ readonly domain: string } & ReturnType<typeof errorBody>);

/** Verifies domains, some at a time. Returns a result for each, in their order; a refused one has an `error`. */
export async function verifyAll(
  domains: readonly string[],
  verify: (domain: string) => Promise<VerificationReport>,
): Promise<DomainResult[]> {
  const results: DomainResult[] = [];
  let next = 0;

  async function work(): Promise<void> {
    for (let at = next++; at < domains.length; at = next++) {
      const domain = domains[at] ?? '';
      results[at] = await resultOf(domain, verify);
    }
  }

  await Promise.all(Array.from({ length: Math.min(AT_ONCE, domains.length) }, work));
  return results;
}

async function resultOf(
  domain: string,
  verify: (domain: string) => Promise<VerificationReport>,
): Promise<DomainResult> {
  try {
    return await verify(domain);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { domain, ...errorBody(error) };
  }
}
