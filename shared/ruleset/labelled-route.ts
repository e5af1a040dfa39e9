import { originOf } from '../paths/path-location.js';
import type { AppendedQuery } from './appended-query.js';
import type { LocationParts } from './destination-parts.js';
import { escapeForwarded } from './header-bytes.js';
import { normalizeHost } from './host-name.js';
import { type Forwarding, ForwardingDestination } from './location.js';
import type { RedirectAnswer } from './redirect-answer.js';
import { DestinationRoute } from './route.js';

const LABEL = /\{host\.([1-9])\}/;
const LABELS = new RegExp(LABEL, 'g');

/** Returns whether a redirect for `host` fills `{host.1}` to `{host.9}` in a destination. Wildcard hosts do. */
export function hasLabels(host: string, destination: string): boolean {
  return host.startsWith('*.') && LABEL.test(destination);
}

/**
 * A route whose destination contains labels of the requested host. They are filled in after scheme, host and port, which
 * never change. A label that the host does not have is empty.
 */
export class LabelledRoute extends DestinationRoute {
  /** Length of `scheme://host:port`. */
  private readonly originLength: number;
  /** Length of `.example.com` in a wildcard host. */
  private readonly zoneLength: number;

  /** @param host a wildcard */
  constructor(
    host: string,
    private readonly template: LocationParts,
    forwarding: Forwarding,
    mayLoop: boolean,
    answer: RedirectAnswer,
    private readonly appended: AppendedQuery | undefined,
  ) {
    super(template, forwarding, mayLoop, answer);
    this.originLength = originOf(template.base).length;
    this.zoneLength = host.length - 1;
  }

  override get readsQuery(): boolean {
    return this.appended !== undefined || super.readsQuery;
  }

  override location(path: string, query: string | undefined, hostHeader = ''): string {
    const { originLength, zoneLength, template, appended } = this;
    const labels = normalizeHost(hostHeader).slice(0, -zoneLength).split('.');
    const fill = (text: string) =>
      text.replace(LABELS, (_, place: string) => escapeForwarded(labels[Number(place) - 1] ?? ''));
    const base = template.base.slice(0, originLength) + fill(template.base.slice(originLength));
    const joint = base.endsWith('/') ? base.slice(0, -1) : base;
    const fragment = fill(template.fragment);
    const filled = new ForwardingDestination(
      { base, joint, query: fill(template.query), fragment },
      this,
    ).location(path, query);
    return appended === undefined ? filled : appended.addTo(filled, fragment, query);
  }
}
