/** Values that the server writes into the HTML page. */
export interface PageFacts {
  /** Prefix of the API's paths. Empty unless a proxy adds one. */
  readonly basePath: string;
  /** Whether the browser sent a session cookie with the request for the page. Scripts cannot read the cookie. */
  readonly hasSession: boolean;
  readonly signup: 'open' | 'verified' | 'closed';
}

function meta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="waymark-${name}"]`)?.content ?? '';
}

function readSignup(): PageFacts['signup'] {
  const value = meta('signup');
  return value === 'verified' || value === 'closed' ? value : 'open';
}

export const pageFacts: PageFacts = {
  basePath: meta('base-path'),
  hasSession: meta('session') === 'yes',
  signup: readSignup(),
};
