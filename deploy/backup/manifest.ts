import { ConfigError } from '../../shared/config/environment.js';

/** The last entry of a backup. A backup without it is incomplete. */
export const MANIFEST = 'manifest.json';
export const FORMAT = 1;

/** A checked entry: the content of a file, the target of a link, or nothing for a folder. */
export interface ManifestEntry {
  readonly name: string;
  readonly bytes?: number;
  readonly sha256?: string;
  readonly target?: string;
}

export interface Manifest {
  readonly format: number;
  /** Version of the product that wrote it. */
  readonly version: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly entries: readonly ManifestEntry[];
}

/** The backup cannot be made or restored. `message` gives the reason in one line. */
export class BackupError extends ConfigError {
  override name = 'BackupError';
}

/** @throws {BackupError} */
export function parseManifest(text: string): Manifest {
  let manifest: Partial<Manifest>;
  try {
    manifest = JSON.parse(text);
  } catch (cause) {
    throw new BackupError('its manifest cannot be read', { cause });
  }
  const { format, version, createdAt, entries } = manifest;
  if (format !== FORMAT) {
    throw new BackupError(
      `it has format ${String(format)}, and this version of Waymark reads format ${FORMAT}`,
    );
  }
  if (typeof version !== 'string' || typeof createdAt !== 'string' || !Array.isArray(entries)) {
    throw new BackupError('its manifest is incomplete');
  }
  return { format, version, createdAt, entries };
}

/** The files and folders of DATA_DIR that the backup replaces. */
export function topLevelNames({ entries }: Pick<Manifest, 'entries'>): string[] {
  return [...new Set(entries.map(({ name }) => name.split('/')[0] ?? name))];
}
