import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { HitSlot } from '../hits/hit-recorder.js';
import type { VisitorAddress } from '../visitor/visitor-address.js';

const NON_ASCII = /[\x80-\xff]/;

/** Copies what the request tells of the visitor into the hit. Must run before the answer is ended. */
export function describeVisitor(
  hit: HitSlot,
  res: HttpResponse,
  req: HttpRequest,
  visitorAddress: VisitorAddress,
): void {
  hit.path = req.getUrl();
  // Undefined without a `?`, whatever the declarations of the addon say.
  hit.query = req.getQuery() ?? '';
  hit.method = req.getCaseSensitiveMethod();
  hit.userAgent = headerText(req, 'user-agent');
  hit.referrer = headerText(req, 'referer');
  hit.acceptLanguage = req.getHeader('accept-language');
  hit.purpose = req.getHeader('sec-purpose') || req.getHeader('purpose') || req.getHeader('x-moz');
  hit.address = addressOf(res, req, visitorAddress);
}

function addressOf(res: HttpResponse, req: HttpRequest, visitorAddress: VisitorAddress): string {
  const peer = textOf(res.getRemoteAddressAsText());
  if (!visitorAddress.trusts(peer)) return visitorAddress.resolve(peer, '');
  // The addon takes a PROXY protocol preamble from anyone; only a trusted peer's counts.
  const proxied = textOf(res.getProxiedRemoteAddressAsText());
  return visitorAddress.resolve(proxied === '' ? peer : proxied, forwardedFor(req));
}

/** `getHeader` gives the first line only, which is the visitor's own where a proxy adds another one. */
function forwardedFor(req: HttpRequest): string {
  const lines: string[] = [];
  req.forEach((name, value) => {
    if (name === 'x-forwarded-for') lines.push(value);
  });
  return lines.join(',');
}

/** The addon reads headers as Latin-1; what is sent beyond ASCII is UTF-8 nearly always. */
function headerText(req: HttpRequest, name: string): string {
  const value = req.getHeader(name);
  return NON_ASCII.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;
}

function textOf(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString('latin1');
}
