import { startWholeControlplane } from './whole-controlplane.fixture.js';

/** Returns the text of `/openapi.json` of the whole control plane. */
export async function readWholeDocument(): Promise<string> {
  // With a key, the routes for remote data planes are there too.
  const controlplane = await startWholeControlplane({ SECRET_KEY: 'a key for the test of the document, 32' });
  try {
    const response = await fetch(`${controlplane.url}/openapi.json`);
    return await response.text();
  } finally {
    await controlplane.stop();
  }
}
