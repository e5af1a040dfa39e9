import type { RequestHandler } from './listener.js';

const PREFIX_LENGTH = '/.well-known/acme-challenge/'.length;

/** Answers of HTTP-01 challenges. */
export interface ChallengeAnswers {
  /**
   * Returns the key authorization of a token (RFC 8555, section 8.1); undefined if there is none, or the text is not a
   * token.
   */
  answerTo(token: string): string | undefined;
}

/** Answers challenges of certificate authorities, for any host. All other requests go to `otherwise`. */
export function createChallengeHandler(
  challenges: ChallengeAnswers,
  otherwise: RequestHandler,
): RequestHandler {
  return (res, req, closing) => {
    const answer = challenges.answerTo(req.getUrl().slice(PREFIX_LENGTH));
    if (answer === undefined) {
      otherwise(res, req, closing);
      return;
    }
    res
      .writeHeader('Content-Type', 'application/octet-stream')
      .writeHeader('Cache-Control', 'no-store')
      .end(answer, closing);
  };
}
