import { servesHost } from '../paths/publish-table.js';
import type { AppendedQuery } from './appended-query.js';
import { type LocationParts, splitDestination } from './destination-parts.js';
import { hasLabels, LabelledRoute } from './labelled-route.js';
import type { Forwarding } from './location.js';
import type { RedirectAnswer } from './redirect-answer.js';
import { DestinationRoute, type Route } from './route.js';

/**
 * Prepares the route from `host` to `destination`. Never throws.
 *
 * @param host as in `RedirectDefinition.host`
 * @param destination an absolute http or https URL
 * @param appended query parameters that are added
 */
export function compileRoute(
  host: string,
  destination: string,
  forwarding: Forwarding,
  answer: RedirectAnswer,
  appended?: AppendedQuery,
): Route {
  const parts = splitDestination(destination);
  const mayLoop = servesHost(host, parts.host);
  if (hasLabels(host, destination)) {
    return new LabelledRoute(host, parts, forwarding, mayLoop, answer, appended);
  }
  if (appended === undefined) return new DestinationRoute(parts, forwarding, mayLoop, answer);
  return new AppendingRoute(parts, forwarding, mayLoop, answer, appended);
}

/** A route that adds query parameters which the request does not have. */
class AppendingRoute extends DestinationRoute {
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
