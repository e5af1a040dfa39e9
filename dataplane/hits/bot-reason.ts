import { isbot } from 'isbot';
import { cachedByText } from '../../shared/visitor/text-cache.js';
import { PREVIEW_AGENTS } from './preview-agents.js';

/** Why a hit does not count as a person's visit; empty when it does. */
export type BotReason = '' | 'head' | 'prefetch' | 'preview' | 'user-agent';

/**
 * Tells bots from people, the most certain reason first.
 *
 * @param method the request method, upper-case
 * @param purpose `Sec-Purpose`, `Purpose` or `X-Moz`, empty without
 * @param userAgent empty without, which no browser does
 */
export type BotDetection = (method: string, purpose: string, userAgent: string) => BotReason;

const PREFETCH = /prefetch|prerender/i;
const MAX_CACHED_AGENTS = 5_000;

export function createBotDetection(): BotDetection {
  const reasonByAgent = cachedByText(judgeAgent, MAX_CACHED_AGENTS);
  return (method, purpose, userAgent) => {
    if (method === 'HEAD') return 'head';
    if (purpose !== '' && PREFETCH.test(purpose)) return 'prefetch';
    return reasonByAgent(userAgent);
  };
}

function judgeAgent(userAgent: string): BotReason {
  const lowerCase = userAgent.toLowerCase();
  if (PREVIEW_AGENTS.some((name) => lowerCase.includes(name))) return 'preview';
  return userAgent === '' || isbot(userAgent) ? 'user-agent' : '';
}
