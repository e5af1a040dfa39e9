import type { FastifyInstance } from 'fastify';
import { ConfigError } from '../../shared/config/environment.js';
import { codeOf } from '../../shared/process/error-facts.js';

/** Listening address of an API. */
export interface ApiAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Opens the API's port.
 *
 * @throws {ConfigError} when the port cannot be opened
 */
export async function listen(app: FastifyInstance, target: ApiAddress): Promise<ApiAddress> {
  try {
    await app.listen(target);
  } catch (error) {
    const code = codeOf(error) ?? String(error);
    const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${code})`;
    throw new ConfigError(
      `${target.host}:${target.port} ${reason}: choose another API_PORT or API_HOST, or stop what has it`,
    );
  }
  const address = app.server.address();
  return {
    host: target.host,
    port: typeof address === 'object' && address !== null ? address.port : target.port,
  };
}
