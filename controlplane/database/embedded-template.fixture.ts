import { existsSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { openDatabase } from './open-database.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the files of one run share what takes long to make. */
    readonly templateFolder: string;
  }
}

/** Before all test files, and after them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-template-'));
  project.provide('templateFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}

/** Puts a migrated embedded database into `dataDir`: a copy, since a new one takes seconds to make. */
export async function copyEmbeddedTemplate(dataDir: string): Promise<void> {
  const template = path.join(inject('templateFolder'), 'database');
  if (!existsSync(template)) await makeTemplate(template);
  await cp(template, dataDir, { recursive: true });
}

/** Several files may make one at the same time; the first to be done is it. */
async function makeTemplate(template: string): Promise<void> {
  const unfinished = await mkdtemp(`${template}-`);
  const database = await openDatabase(
    { databaseUrl: undefined, dataDir: unfinished },
    pino({ level: 'silent' }),
  );
  await database.close();
  await rename(unfinished, template).catch((error: unknown) => {
    if (!existsSync(template)) throw error;
  });
}
