import { account } from './account';
import { auth } from './auth';
import { imports } from './imports';
import { operator } from './operator';
import { paths } from './paths';
import { redirects } from './redirects';
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
  operator,
};
