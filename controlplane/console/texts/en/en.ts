/** The catalogue of English texts, one file per part of the console. */
export { account } from './account';
export { auth } from './auth';
export { drafts } from './drafts';
export { examples } from './examples';
export { experiments } from './experiments';
export { audit, history } from './history';
export { imports } from './imports';
export { operator } from './operator';
export { paths } from './paths';
export { redirects } from './redirects';
export { replay } from './replay';
export { rules } from './rules';
export { errors, shell } from './shell';
export { statistics } from './statistics';
