import { DATAPLANE_VARIABLES } from '../../shared/config/config.js';
import type { Environment } from '../../shared/config/environment.js';

/** Variables of the system, of Node and of its libraries that change how a worker runs. None of them holds a secret. */
const SYSTEM_VARIABLES = [
  'PATH',
  'HOME',
  'TZ',
  'TMPDIR',
  'TMP',
  'TEMP',
  'LANG',
  'LC_ALL',
  'RES_OPTIONS',
  'LOCALDOMAIN',
  'HOSTALIASES',
  'LD_LIBRARY_PATH',
  'LD_PRELOAD',
  'MALLOC_ARENA_MAX',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_DEBUG',
  'NODE_V8_COVERAGE',
  'UV_THREADPOOL_SIZE',
  'OPENSSL_CONF',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'UWS_HTTP_MAX_HEADERS_SIZE',
];

const INHERITED = [...DATAPLANE_VARIABLES, ...SYSTEM_VARIABLES];

/**
 * Returns the part of `environment` that a worker inherits: the configuration of a data plane, and variables of the
 * system. Secrets of the control plane never reach the processes that face the internet.
 */
export function workerEnvironment(environment: Environment): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const name of INHERITED) {
    const value = environment[name];
    if (value !== undefined) inherited[name] = value;
  }
  return inherited;
}
