import { type Challenges, isChallengeText } from '../../shared/certificates/certificate-exchange.js';
import type { ChallengeAnswers } from '../http/challenge-answer.js';

/** The challenges that are answered at present. */
export interface CurrentChallenges extends ChallengeAnswers {
  replace(challenges: Challenges): void;
}

export function createCurrentChallenges(): CurrentChallenges {
  let thumbprint: string | undefined;
  let byToken: ReadonlyMap<string, string> = new Map();
  return {
    answerTo(token) {
      const known = byToken.get(token) ?? thumbprint;
      return known === undefined || !isChallengeText(token) ? undefined : `${token}.${known}`;
    },
    replace({ challengeThumbprints, challengeTokens = {} }) {
      thumbprint = challengeThumbprints[0];
      byToken = new Map(Object.entries(challengeTokens));
    },
  };
}
