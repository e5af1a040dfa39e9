/** Where a person on this machine reaches a listener: one on every address is also on the local one. */
export function reachableUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  return urlOf(host === '0.0.0.0' || host === '::' ? 'localhost' : host, port);
}

/** Where our own processes reach a listener: by address, since with a name another listener's port might be meant. */
export function loopbackUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  const loopback: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  return urlOf(loopback[host] ?? host, port);
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
