/** Oldest supported Node, as in `engines` of package.json. */
const OLDEST = { major: 20, minor: 15 };

/**
 * Ends the process with one line if Node is too old. Call it before other modules are loaded: an older Node rejects
 * them with a SyntaxError. This file imports nothing for the same reason.
 */
export function refuseOldNode(version = process.versions.node): void {
  const problem = nodeProblem(version);
  if (problem === undefined) return;
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}

/** Returns why this version cannot run Waymark, and what to do; undefined when it can. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  return `Waymark needs Node ${OLDEST.major}.${OLDEST.minor} or newer, and this is Node ${version}: install a newer one, such as Node 24 from https://nodejs.org`;
}
