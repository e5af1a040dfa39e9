import type { Schemas } from '@waymark/client';
import { texts } from '../../texts/texts';

/** Returns a version as an option of a select. */
export function versionOption({ version, summary }: Schemas.Version) {
  return [String(version), `${texts.history.version(version)}: ${summary}`] as const;
}
