/**
 * Refuses doc comments that start with a preposition or a similar fragment. `.github/CONTRIBUTING.md` has the writing
 * rules. Prints the places and exits with 1 if it finds any.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const FRAGMENT =
  /\/\*\*[\s*]*((?:Of|By|In|With|Without|From|So|For|At|On|To|Under|Within|Among|Beside|Between|Beyond|What|Who|Where|Whose|Nobody|Nothing|Everything|Why|How|When|While|If|Until|After|Before|Since|As|Because|That|Which|Than|Like|Unlike|Not|Only|Even)\b.*)/g;

const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && !/\.(test|fixture)\.ts$/.test(file))
  // Generated from the descriptions of the API.
  .filter((file) => file !== 'deploy/client/src/operations.ts');
const places = files.flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(FRAGMENT)].map(
    (match) => `${file}:${text.slice(0, match.index).split('\n').length}: ${match[1]}`,
  );
});
if (places.length > 0) {
  console.error(`${places.join('\n')}\n${places.length} doc comments do not start with a verb or a noun.`);
  process.exitCode = 1;
}
