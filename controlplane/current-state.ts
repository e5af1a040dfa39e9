import { DEFAULT_PATH_OPTIONS } from '../shared/paths/path-entry.js';
import { createStateOf, type ReadCurrent } from './areas/history/public.js';
import { entryState, pathRepository } from './areas/paths/public.js';
import { redirectRepository, redirectState } from './areas/redirects/public.js';
import { ruleRepository, ruleState } from './areas/rules/public.js';

/** Reads everything of a live redirect that its versions keep. */
export const readCurrent: ReadCurrent = async (source, redirectId) => {
  const redirect = await redirectRepository.findById(source, redirectId);
  if (redirect === undefined) return undefined;
  const rules = await ruleRepository.listOfRedirect(source, redirectId);
  const table = await pathRepository.findTable(source, redirectId);
  const entries = table === undefined ? [] : await pathRepository.allEntries(source, redirectId);
  return {
    version: redirect.version,
    redirect: redirectState(redirect),
    rules: rules.map(ruleState),
    paths: { options: table?.options ?? DEFAULT_PATH_OPTIONS, entries: entries.map(entryState) },
  };
};

export const stateOf = createStateOf(readCurrent);
