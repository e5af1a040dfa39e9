import type { ImportFormat } from '../import-format.js';
import { type Statement, wholeFormat } from '../statements.js';
import { type FileContext, ServerReader } from './nginx-directives.js';
import { type MapUse, reportMap } from './nginx-maps.js';
import { type Scope, serverScope } from './nginx-scope.js';
import { readNginx } from './read-nginx.js';

/** Format of nginx: `return`, `rewrite`, `if` and `map`, with the servers and locations around them. */
export const nginx: ImportFormat = wholeFormat('nginx', (lines, report) => {
  const file = collect(readNginx(lines, report));
  const names = new Set(file.maps.map(mapName));
  const uses = new Map<string, MapUse[]>();
  const context: FileContext = { report, names, uses };
  const servers = file.servers.map(({ block = [] }) => ({ block, scope: serverScope(block, report) }));
  const hasNames = servers.some(({ scope }) => !isUnnamed(scope));
  for (const { block, scope } of servers) {
    new ServerReader(context).read(block, { ...scope, isForOtherHosts: hasNames && isUnnamed(scope) });
  }
  new ServerReader(context).read(file.loose, serverScope(file.loose, report));
  for (const map of file.maps) reportMap(map, uses.get(mapName(map)) ?? [], report);
  // A file that a map includes has entries without a block.
  if (file.entries.length > 0) {
    const words = ['map', '$request_uri', '$'].map((text) => ({ text, isQuoted: false }));
    reportMap({ words, line: 0, block: file.entries }, [], report);
  }
});

function isUnnamed({ hosts }: Scope): boolean {
  return hosts.some(({ host }) => host === null);
}

interface Collected {
  readonly servers: Statement[];
  readonly maps: Statement[];
  /** Directives of a server without its block. */
  readonly loose: Statement[];
  /** Entries of a map without its block. */
  readonly entries: Statement[];
}

const SERVER_DIRECTIVES = new Set(['location', 'return', 'rewrite', 'if', 'server_name', 'listen']);

function collect(statements: readonly Statement[]): Collected {
  const found: Collected = { servers: [], maps: [], loose: [], entries: [] };
  const visit = (list: readonly Statement[]): void => {
    for (const statement of list) {
      const name = statement.words[0]?.text ?? '';
      if (name === 'http' && statement.block !== undefined) visit(statement.block);
      else if (name === 'server' && statement.block !== undefined) found.servers.push(statement);
      else if (name === 'map' && statement.block !== undefined) found.maps.push(statement);
      else if (SERVER_DIRECTIVES.has(name)) found.loose.push(statement);
      else if (/^(?:\/|~\*?\^)/.test(name) && statement.block === undefined) found.entries.push(statement);
    }
  };
  visit(statements);
  return found;
}

function mapName({ words }: Statement): string {
  return (words[2]?.text ?? '').replace(/^\$\{?|\}$/g, '');
}
