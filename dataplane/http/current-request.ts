import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { VisitorAddress } from '../../shared/visitor/visitor-address.js';
import { createPeerAddresses } from '../visitor/peer-address.js';
import type { RequestTexts } from '../visitor/request-texts.js';
import { HEADER } from './header-names.js';
import { headerLines, type RepeatedHeaders, repeatedHeaders } from './repeated-headers.js';

const NON_ASCII = /[\x80-\xff]/;

/**
 * Method that finds the end of a request's body.
 *
 * - `certain`: there is no body, or one Content-Length defines it.
 * - `chunked`: the addon is more lenient with chunks than RFC 9112 (a bare line feed ends one), so a proxy in front
 *   may find another end. Nothing may follow on the connection.
 * - `ambiguous`: readers differ. The addon uses the first of several headers and ignores an unknown
 *   Transfer-Encoding.
 */
type BodyFraming = 'certain' | 'chunked' | 'ambiguous';

/**
 * The request that is being answered. The addon's own objects are valid only until the handler returns. This object
 * is reused for every request. Reading allocates only the texts, each once.
 */
export class CurrentRequest implements RequestTexts {
  private res: HttpResponse | undefined;
  private req: HttpRequest | undefined;
  private knownHost: string | undefined;
  private knownPath: string | undefined;
  private knownQuery: string | undefined;
  private knownUserAgent: string | undefined;
  private knownReferrer: string | undefined;
  private knownLanguage: string | undefined;
  private knownCookies: string | undefined;
  private knownMethod: string | undefined;
  private knownPurpose: string | undefined;
  private knownAddress: string | undefined;
  private knownRepeated: RepeatedHeaders | undefined;
  private knownToBeForwarded: boolean | undefined;
  private readonly peers = createPeerAddresses();

  /** @param isOverTls whether all requests come over TLS. Default: no */
  constructor(
    private readonly visitorAddress: VisitorAddress,
    private readonly isOverTls = false,
  ) {}

  /** Makes this the current request until `release`. Read it before the answer ends. */
  of(res: HttpResponse, req: HttpRequest): void {
    this.res = res;
    this.req = req;
  }

  /** Forgets the request. Later reads throw. */
  release(): void {
    if (this.req === undefined) return;
    this.res = undefined;
    this.req = undefined;
    this.knownHost = undefined;
    this.knownPath = undefined;
    this.knownQuery = undefined;
    this.knownUserAgent = undefined;
    this.knownReferrer = undefined;
    this.knownLanguage = undefined;
    this.knownCookies = undefined;
    this.knownMethod = undefined;
    this.knownPurpose = undefined;
    this.knownAddress = undefined;
    this.knownRepeated = undefined;
    this.knownToBeForwarded = undefined;
  }

  /**
   * Returns how the end of the body is found. A visitor can hide the decisive line behind an empty one, which the addon
   * reports as absent. Without a proxy in front, visitors can mislead only themselves with it.
   */
  framing(): BodyFraming {
    const req = this.request();
    const contentLength = req.getHeader(HEADER.contentLength);
    const transferEncoding = req.getHeader(HEADER.transferEncoding);
    if (contentLength === '' && transferEncoding === '' && !this.isForwarded()) return 'certain';
    return bodyFraming(contentLength, transferEncoding, this.repeated());
  }

  /** The header `Host`; empty if there is none. */
  hostHeader(): string {
    this.knownHost ??= this.request().getHeader(HEADER.host);
    return this.knownHost;
  }

  path(): string {
    this.knownPath ??= this.request().getUrl();
    return this.knownPath;
  }

  query(): string {
    // Undefined without a `?`, contrary to the declarations of the addon.
    this.knownQuery ??= this.request().getQuery() ?? '';
    return this.knownQuery;
  }

  userAgent(): string {
    this.knownUserAgent ??= this.headerText(HEADER.userAgent);
    return this.knownUserAgent;
  }

  referrer(): string {
    this.knownReferrer ??= this.headerText(HEADER.referer);
    return this.knownReferrer;
  }

  acceptLanguage(): string {
    this.knownLanguage ??= this.request().getHeader(HEADER.acceptLanguage);
    return this.knownLanguage;
  }

  cookies(): string {
    this.knownCookies ??=
      this.request().getHeader(HEADER.cookie) && headerLines(this.request(), 'cookie').join('; ');
    return this.knownCookies;
  }

  address(): string {
    this.knownAddress ??= this.resolveAddress();
    return this.knownAddress;
  }

  /** Case as on the wire. */
  method(): string {
    this.knownMethod ??= this.request().getCaseSensitiveMethod();
    return this.knownMethod;
  }

  /** `Sec-Purpose`, `Purpose` or `X-Moz`: distinguishes a prefetch from a visit. */
  purpose(): string {
    const req = this.request();
    this.knownPurpose ??=
      req.getHeader(HEADER.secPurpose) || req.getHeader(HEADER.purpose) || req.getHeader(HEADER.xMoz);
    return this.knownPurpose;
  }

  /**
   * Returns whether the visitor uses HTTPS: to this process, or to a trusted proxy that reports it in
   * `X-Forwarded-Proto`.
   */
  isSecure(): boolean {
    if (this.isOverTls) return true;
    const peer = this.trustedPeer();
    if (peer === undefined || !this.visitorAddress.trusts(this.nearestTo(peer))) return false;
    // The nearest proxy wrote the last entry of the last line. The visitor may have sent those before it.
    const said = headerLines(this.request(), 'x-forwarded-proto').join(',');
    return (
      said
        .slice(said.lastIndexOf(',') + 1)
        .trim()
        .toLowerCase() === 'https'
    );
  }

  private resolveAddress(): string {
    const { visitorAddress } = this;
    const peer = this.peer();
    if (!visitorAddress.trusts(peer)) return peer;
    return visitorAddress.resolve(this.nearestTo(peer), this.repeated().clientAddress);
  }

  private peer(): string {
    return this.peers.textOf(this.response().getRemoteAddress());
  }

  private trustedPeer(): string | undefined {
    if (this.visitorAddress.trustsNobody) return undefined;
    const peer = this.peer();
    return this.visitorAddress.trusts(peer) ? peer : undefined;
  }

  /**
   * Returns the sender of the headers: the peer, or the client that it names by the PROXY protocol.
   *
   * @param peer must be trusted, because the addon accepts a PROXY protocol preamble from any peer
   */
  private nearestTo(peer: string): string {
    const proxied = this.response().getProxiedRemoteAddressAsText();
    return proxied.byteLength === 0 ? peer : Buffer.from(proxied).toString('latin1');
  }

  /**
   * Whether the request passed a proxy. A trusted proxy is recognised by its address, because the addon shows an
   * empty first line as an absent header.
   */
  private isForwarded(): boolean {
    this.knownToBeForwarded ??= saysItIsForwarded(this.request()) || this.trustedPeer() !== undefined;
    return this.knownToBeForwarded;
  }

  /** Reads repeated headers. Must run for all requests, because the first of several lines may be empty. */
  private repeated(): RepeatedHeaders {
    this.knownRepeated ??= repeatedHeaders(this.request(), this.visitorAddress.header);
    return this.knownRepeated;
  }

  /** The addon reads headers as Latin-1, but clients nearly always send UTF-8. */
  private headerText(name: ArrayBuffer): string {
    const value = this.request().getHeader(name);
    return NON_ASCII.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;
  }

  private request(): HttpRequest {
    return this.req ?? nothingToRead();
  }

  private response(): HttpResponse {
    return this.res ?? nothingToRead();
  }
}

/** Returns whether the headers of a request name a proxy. */
function saysItIsForwarded(req: HttpRequest): boolean {
  return req.getHeader(HEADER.xForwardedFor) !== '' || req.getHeader(HEADER.via) !== '';
}

function nothingToRead(): never {
  throw new Error('a request was read while none is being answered');
}

/**
 * Detects request smuggling. The addon accepts some of its forms (RFC 9112, section 6.3).
 *
 * @param contentLength the first line of the header, which the addon uses; the same applies to `transferEncoding`
 */
function bodyFraming(
  contentLength: string,
  transferEncoding: string,
  { contentLengths, transferEncodings }: RepeatedHeaders,
): BodyFraming {
  const lines = contentLengths + transferEncodings;
  if (lines === 0) return 'certain';
  if (lines > 1) return 'ambiguous';
  if (contentLengths === 1) return contentLength === '' ? 'ambiguous' : 'certain';
  return transferEncoding.toLowerCase() === 'chunked' ? 'chunked' : 'ambiguous';
}
