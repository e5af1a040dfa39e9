import { startControlplane } from './running-controlplane.fixture.js';

/** Returns the text of `/openapi.json` of the whole control plane. */
export async function readWholeDocument(): Promise<string> {
  const controlplane = await startControlplane();
  try {
    const response = await fetch(`${controlplane.url}/openapi.json`);
    return await response.text();
  } finally {
    await controlplane.stop();
  }
}
