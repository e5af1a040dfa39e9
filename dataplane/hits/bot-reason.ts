import { isbot } from 'isbot';
import { cachedByText } from '../../shared/visitor/text-cache.js';
import { PREVIEW_AGENTS } from './preview-agents.js';

/** Why a hit does not count as a person's visit; empty when it does. */
export type BotReason = '' | 'head' | 'prefetch' | 'preview' | 'user-agent';

/** Tells bots from people. What the request says is more certain than what the user agent does, and goes first. */
export interface BotDetection {
  /**
   * @param method the request method, upper-case
   * @param purpose `Sec-Purpose`, `Purpose` or `X-Moz`, empty without
   */
  reasonOfRequest(method: string, purpose: string): BotReason;
  /** @param userAgent empty without, which no browser does */
  reasonOfAgent(userAgent: string): BotReason;
}

const PREFETCH = /prefetch|prerender/i;
const MAX_CACHED_AGENTS = 5_000;
/** UTF-16 units of a user agent that are judged. Those of real bots and browsers are shorter than 500. */
const MAX_JUDGED_LENGTH = 1_024;

export function createBotDetection(): BotDetection {
  return {
    reasonOfRequest(method, purpose) {
      if (method === 'HEAD') return 'head';
      return purpose !== '' && PREFETCH.test(purpose) ? 'prefetch' : '';
    },
    reasonOfAgent: cachedByText(judgeAgent, MAX_CACHED_AGENTS),
  };
}

function judgeAgent(sentAgent: string): BotReason {
  const userAgent = sentAgent.slice(0, MAX_JUDGED_LENGTH);
  const lowerCase = userAgent.toLowerCase();
  if (PREVIEW_AGENTS.some((name) => lowerCase.includes(name))) return 'preview';
  return userAgent === '' || isbot(userAgent) ? 'user-agent' : '';
}
