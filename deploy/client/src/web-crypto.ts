/** Returns WebCrypto. Node 18 has it only as a module; bundlers must not look for that one. */
export async function webCrypto(): Promise<Pick<typeof globalThis.crypto, 'subtle' | 'getRandomValues'>> {
  const name = 'node:crypto';
  return globalThis.crypto ?? (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)).webcrypto;
}

/** Returns 128 random bits in hexadecimal. */
export async function randomKey(): Promise<string> {
  const bytes = (await webCrypto()).getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
