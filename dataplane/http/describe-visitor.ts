import type { HitSlot } from '../hits/hit-recorder.js';
import type { CurrentRequest } from './current-request.js';

/** Copies the visitor's texts from the request into the hit. Must run before the answer is ended. */
export function describeVisitor(hit: HitSlot, request: CurrentRequest): void {
  hit.path = request.path();
  hit.query = request.query();
  hit.method = request.method();
  hit.userAgent = request.userAgent();
  hit.referrer = request.referrer();
  hit.acceptLanguage = request.acceptLanguage();
  hit.purpose = request.purpose();
  hit.address = request.address();
}
