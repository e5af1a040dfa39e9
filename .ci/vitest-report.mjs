// Reads the file of vitest's JSON reporter. Prints a line `passed failed`, then the failures, with the start of each message.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const MAX_MESSAGE = 1_000;
const [file] = process.argv.slice(2);
const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(file, 'utf8'));

const startOf = (message) => stripVTControlCharacters(message).slice(0, MAX_MESSAGE);

console.log(numPassedTests, numFailedTests);
for (const { name, status, message, assertionResults } of testResults) {
  if (status !== 'failed') continue;
  // A file whose hook failed has its own message, and perhaps no failed test.
  console.log(path.relative('.', name), startOf(message));
  for (const { status, fullName, duration = 0, failureMessages } of assertionResults) {
    if (status !== 'failed') continue;
    console.log(`  ${fullName}, after ${Math.round(duration)} ms: ${startOf(failureMessages.join('\n'))}`);
  }
}
