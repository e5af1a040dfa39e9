import { account } from './account';
import { auth } from './auth';
import { drafts } from './drafts';
import { examples } from './examples';
import { experiments } from './experiments';
import { audit, history } from './history';
import { imports } from './imports';
import { operator } from './operator';
import { paths } from './paths';
import { redirects } from './redirects';
import { replay } from './replay';
import { rules } from './rules';
import { errors, shell } from './shell';
import { statistics } from './statistics';

/** The catalogue of English texts, one file per part of the console. */
export const en = {
  shell,
  errors,
  auth,
  redirects,
  rules,
  paths,
  imports,
  statistics,
  account,
  audit,
  history,
  drafts,
  replay,
  examples,
  experiments,
  operator,
};
