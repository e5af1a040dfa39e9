/** Name of the cookie that carries the session of a browser. */
const NAME = 'wm_session';

/** Returns the value of the session cookie in a header `Cookie`. */
export function readSessionCookie(header: string | undefined): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [name, value] = part.split('=', 2);
    if (name?.trim() === NAME && value !== undefined) return value.trim();
  }
  return undefined;
}

export interface CookieOptions {
  /** Lifetime. 0 removes the cookie. */
  readonly maxAgeSeconds: number;
  /** Whether browsers send the cookie over TLS only. */
  readonly isSecure: boolean;
}

/** Returns a header `Set-Cookie`. Scripts cannot read the cookie, and other sites cannot make a browser send it. */
export function sessionCookie(value: string, { maxAgeSeconds, isSecure }: CookieOptions): string {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`;
  return `${NAME}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`;
}
