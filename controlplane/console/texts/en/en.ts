import { account } from './account';
import { auth } from './auth';
import { operator } from './operator';
import { paths } from './paths';
import { redirects } from './redirects';
import { errors, shell } from './shell';

/** The catalogue of English texts, one file per part of the console. */
export const en = { shell, errors, auth, redirects, paths, account, operator };
