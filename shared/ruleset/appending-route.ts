import type { AppendedQuery } from './appended-query.js';
import type { LocationParts } from './destination-parts.js';
import type { Forwarding } from './location.js';
import type { RedirectAnswer } from './redirect-answer.js';
import { DestinationRoute } from './route.js';

/** A route that adds query parameters which the request does not have. */
export class AppendingRoute extends DestinationRoute {
  constructor(
    parts: LocationParts,
    forwarding: Forwarding,
    mayLoop: boolean,
    answer: RedirectAnswer,
    private readonly appended: AppendedQuery,
  ) {
    super(parts, forwarding, mayLoop, answer);
  }

  override get readsQuery(): boolean {
    return true;
  }

  override location(path: string, query: string | undefined, _hostHeader?: string): string {
    return this.appended.addTo(super.location(path, query), this.fragment, query);
  }
}
