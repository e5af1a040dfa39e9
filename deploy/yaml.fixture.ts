import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../shared/config/package-root.js';

export type Yaml = string | number | boolean | null | readonly Yaml[] | YamlMap;
export interface YamlMap {
  readonly [key: string]: Yaml;
}

/** The text of a file, by its path from the top folder. */
export function readProductFile(...parts: readonly string[]): string {
  return readFileSync(path.join(packageRoot(), ...parts), 'utf8');
}

/**
 * Reads a document that is a mapping. Supports `<<` merges, which YAML 1.2 lacks and Docker Compose has.
 *
 * @throws with the line that is not YAML
 */
export function parseYaml(source: string): YamlMap {
  return parse(source, { merge: true });
}
