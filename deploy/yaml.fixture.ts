import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../shared/config/package-root.js';

export type Yaml = string | null | readonly Yaml[] | YamlMap;
export interface YamlMap {
  readonly [key: string]: Yaml;
}

interface Line {
  readonly number: number;
  readonly indent: number;
  readonly text: string;
}

const KEY = /^([\w.-]+|<<):(?:\s+(.*))?$/;

/** The text of a file, by its path from the top folder. */
export function readProductFile(...parts: readonly string[]): string {
  return readFileSync(path.join(packageRoot(), ...parts), 'utf8');
}

/**
 * Reads the part of YAML that the files here keep to: block mappings and sequences, flow sequences that are
 * JSON, plain and double-quoted scalars on one line, anchors of mappings and their merging, comments on lines of
 * their own.
 *
 * @throws naming the line that is anything else
 */
export function parseYaml(source: string): YamlMap {
  const lines = source
    .split('\n')
    .map((raw, index) => ({ number: index + 1, indent: raw.search(/[^ ]/), text: raw.trimEnd() }))
    .map((line) => ({ ...line, text: line.text.slice(line.indent) }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));
  const anchors = new Map<string, YamlMap>();
  let at = 0;

  function block(indent: number): Yaml {
    const first = lines[at];
    if (first === undefined || first.indent < indent) return null;
    return first.text.startsWith('- ') ? sequence(first.indent) : mapping(first.indent);
  }

  function sequence(indent: number): Yaml[] {
    const items: Yaml[] = [];
    for (let line = lines[at]; line?.indent === indent && line.text.startsWith('- '); line = lines[at]) {
      // What follows the dash is read as if it stood alone, two further in.
      const item: Line = { number: line.number, indent: indent + 2, text: line.text.slice(2) };
      if (KEY.test(item.text)) {
        lines[at] = item;
        items.push(mapping(item.indent));
      } else {
        at += 1;
        items.push(scalar(item.text, item));
      }
    }
    return items;
  }

  function mapping(indent: number): YamlMap {
    const result: Record<string, Yaml> = {};
    const merged: YamlMap[] = [];
    for (let line = lines[at]; line !== undefined && line.indent >= indent; line = lines[at]) {
      const [, key, rest = ''] = (line.indent === indent && KEY.exec(line.text)) || [];
      if (key === undefined || key in result) throw unreadable(line);
      at += 1;
      if (key === '<<') merged.push(anchored(rest, line));
      else if (rest.startsWith('&')) anchors.set(rest.slice(1), nested(result, key, indent));
      else if (rest === '') result[key] = block(indent + 1);
      else result[key] = scalar(rest, line);
    }
    return Object.assign({}, ...merged, result);
  }

  function nested(into: Record<string, Yaml>, key: string, indent: number): YamlMap {
    const value = mapping(indent + 2);
    into[key] = value;
    return value;
  }

  function anchored(reference: string, line: Line): YamlMap {
    const map = anchors.get(reference.replace('*', ''));
    if (map === undefined) throw unreadable(line);
    return map;
  }

  const document = mapping(0);
  if (at < lines.length) throw unreadable(lines[at]);
  return document;
}

function scalar(text: string, line: Line): Yaml {
  if (/^["[]/.test(text)) {
    try {
      return JSON.parse(text) as Yaml;
    } catch {
      throw unreadable(line);
    }
  }
  // In plain scalars these begin or end something else.
  if (/^[&*!|>{}'%@`,]|: | #|:$/.test(text)) throw unreadable(line);
  return text;
}

function unreadable(line: Line | undefined): Error {
  return new Error(`line ${line?.number} is beyond the YAML that is read here: ${line?.text}`);
}
