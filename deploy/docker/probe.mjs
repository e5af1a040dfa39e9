import process from 'node:process';

/** Exits with 0 when the URL answers with a success within 3 s, else with 1: the health check of a container. */
const [url] = process.argv.slice(2);
try {
  const answer = await fetch(url, { signal: AbortSignal.timeout(3_000) });
  process.exitCode = answer.ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
