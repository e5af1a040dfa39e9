const PREFIX = '*.';
const DOT = 0x2e;
/** Labels of a visitor's host go into locations, so other characters are not looked up. */
const NAME = /^[a-z0-9_.-]+$/;
/** RFC 1035, without the root's dot. */
const MAX_HOST_LENGTH = 253;
/** A host of the maximum length has 127 labels. */
const MAX_LABELS = 128;

/**
 * Keeps the label counts of the wildcard hosts. A host is then looked up only under names that may exist. Random labels
 * below a zone cost one look-up for each length in use.
 */
export class WildcardZones {
  /** Number of wildcard hosts by the labels of their zone. */
  private readonly byLabels = new Uint32Array(MAX_LABELS);
  private count = 0;

  /** @param difference 1 for an added host, -1 for a removed one */
  note(host: string, difference: number): void {
    if (!host.startsWith(PREFIX)) return;
    const labels = dotsIn(host);
    this.byLabels[labels] = (this.byLabels[labels] ?? 0) + difference;
    this.count += difference;
  }

  /** Returns the first defined result of `find` for the wildcards that cover `host`, the most exact first. */
  firstAbove<Result>(host: string, find: (wildcard: string) => Result | undefined): Result | undefined {
    if (this.count === 0 || host.length > MAX_HOST_LENGTH || !NAME.test(host)) return undefined;
    let labels = dotsIn(host);
    for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
      if (this.byLabels[labels] !== 0 && dot > 0) {
        const found = find(`*${host.slice(dot)}`);
        if (found !== undefined) return found;
      }
      labels -= 1;
    }
    return undefined;
  }
}

function dotsIn(host: string): number {
  let dots = 0;
  for (let at = 0; at < host.length; at += 1) if (host.charCodeAt(at) === DOT) dots += 1;
  return dots;
}
