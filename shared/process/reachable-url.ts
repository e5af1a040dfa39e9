/**
 * Returns the URL at which a person on this machine reaches a listener. A listener on all addresses is reachable at the
 * loopback address.
 */
export function reachableUrl(
  { host, port }: { readonly host: string; readonly port: number },
  scheme: 'http' | 'https' = 'http',
): string {
  return urlOf(host === '0.0.0.0' || host === '::' ? 'localhost' : host, port, scheme);
}

/**
 * Returns the URL at which our own processes reach a listener. It uses the address, because a name might lead to
 * another listener.
 */
export function loopbackUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  const loopback: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  return urlOf(loopback[host] ?? host, port);
}

function urlOf(host: string, port: number, scheme = 'http'): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
