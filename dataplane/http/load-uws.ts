import type uws from 'uWebSockets.js';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { messageOf } from '../../shared/process/error-facts.js';
import { loadEdited, loadFile } from './addon/load-file.js';
import { prepareAddon } from './addon/prepare-addon.js';

export type UwsModule = typeof uws;

export interface UwsOptions {
  /** Minimum time that an idle connection stays open. */
  readonly keepAliveSeconds: number;
  /** A folder in which a file may be executed, used when the system's temporary folder does not allow it. */
  readonly dataDir?: string;
  /** Folder of the binaries. Default: the installed package. */
  readonly addonFolder?: string;
  /** Reports in one line that a setting has no effect here. */
  readonly warn: (message: string) => void;
}

/** Error if the native HTTP server does not run on this platform. `message` has the remedy. */
export class UwsUnavailableError extends Error {
  override name = 'UwsUnavailableError';
}

/** Bytes of a request's head, in any number of segments. The addon's own default is 4,096. */
export const MAX_HEAD_BYTES = 32_768;

/** A loaded addon stays in the process, so each setting is loaded once. */
const loaded = new Map<number, UwsModule>();

/**
 * Loads the native HTTP server, edited as `prepareAddon` says.
 *
 * @throws {UwsUnavailableError} when it cannot run here
 */
export function loadUws(options: UwsOptions): UwsModule {
  const { keepAliveSeconds } = options;
  const known = loaded.get(keepAliveSeconds);
  if (known !== undefined) return known;
  // The addon reads this variable once, while it is loaded.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(MAX_HEAD_BYTES);
  const module = load(options);
  loaded.set(keepAliveSeconds, module);
  return module;
}

function load({ keepAliveSeconds, dataDir, addonFolder = installedFolder(), warn }: UwsOptions): UwsModule {
  const fileName = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  try {
    const original = path.join(addonFolder, fileName);
    const file = readFileSync(original);
    const preparation = prepareAddon(file, fileName, keepAliveSeconds);
    if (preparation === 'defective') throw uwsDefective();
    if (preparation === 'edited') {
      return loadEdited(file, dataDir === undefined ? [tmpdir()] : [tmpdir(), dataDir]) as UwsModule;
    }
    warn(
      `KEEP_ALIVE_SECONDS has no effect with ${fileName}: idle connections are closed after the time that is compiled in. The setting works with the Linux binaries of the package that package.json names.`,
    );
    return loadFile(original) as UwsModule;
  } catch (error) {
    throw error instanceof UwsUnavailableError ? error : uwsUnavailable(error);
  }
}

function installedFolder(): string {
  return path.dirname(createRequire(import.meta.url).resolve('uWebSockets.js'));
}

/** The refusal to start with a binary that fails visitors. */
export function uwsDefective(): UwsUnavailableError {
  return new UwsUnavailableError(
    'The installed HTTP server (uWebSockets.js) has a known defect: it answers 505 when a request arrives in several TCP segments. Run npm ci to install the version that package.json names.',
  );
}

/** @param cause the error of the attempt to load it */
export function uwsUnavailable(cause: unknown): UwsUnavailableError {
  const here = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  return new UwsUnavailableError(
    `The HTTP server of the data plane (uWebSockets.js) does not load with ${here} (${reasonOf(cause)}). It runs with Node 20, 22, 24 or 25 on Linux (x64, arm64; glibc 2.36 or newer, for example Debian 12 or Ubuntu 24.04; not Alpine), macOS (x64, arm64) and Windows in WSL. Install one of these and run npm install again.`,
    { cause },
  );
}

/** Returns the first line of the error for each folder. */
function reasonOf(cause: unknown): string {
  const errors = cause instanceof AggregateError ? cause.errors : [cause];
  return errors.map((error) => messageOf(error).split('\n', 1)[0]).join('; ');
}
