import { expect, it } from 'vitest';
import { processEnvironment } from '../../../../../shared/config/process-environment.js';
import { caddy } from '../caddy/caddy.js';
import { rowsOf } from '../row-reading.fixture.js';
import { differences } from './differences.fixture.js';
import { isInstalled, startOriginal } from './original-server.fixture.js';

const isRequired = processEnvironment().REQUIRE_SERVICES === '1';

const SITES = `
http://rules.example {
	redir /exact https://new.example/exact
	redir /permanent /kept permanent
	redir /temporary https://new.example/t temporary
	redir /keeps https://new.example{uri} 308
	redir /path-only https://new.example/p{path} 307
	redir /queried https://new.example/q?{query} 301
	redir /taken https://new.example/t?x={query.x} 302
	redir /folder/* https://new.example{uri} 301
	redir /folder/deeper/* https://new.example/deeper 302
	redir /part* https://new.example/part
	@several path /several/a /several/b
	redir @several https://new.example/several
	@expression path_regexp item ^/item/([^/]+)/edit$
	redir @expression https://new.example/edit/{re.item.1} 301
	@rest {
		path_regexp all ^/rest/(.*)$
	}
	redir @rest https://new.example/all/{http.regexp.all.1}
	@page {
		path /list
		query page=7
	}
	redir @page https://new.example/seven
	handle_path /strip/* {
		redir https://new.example{uri}
	}
	handle /handled/* {
		redir "https://new.example/handled" 308
	}
	route /route/* {
		redir /route/a/* https://new.example/route/a
		redir /route/a/b https://new.example/never
		redir /route/c https://new.example/route/c
	}
	respond 404
}

http://whole.example, http://www.whole.example {
	redir https://new.example{uri} permanent
}
`;

const HOSTS = ['rules.example', 'whole.example', 'www.whole.example'];
/**
 * Returns whether the documentation names a difference. Caddy ignores case in path matchers, leaves a "?" without a
 * query, and decodes query parameters.
 */
function isDocumented(path: string, query: string): boolean {
  const isUpper = path === path.toUpperCase() && path !== path.toLowerCase();
  if (path === '/taken' && query.includes('+')) return true;
  return isUpper || (path === '/queried' && query === '') || path === '/';
}

const name = 'answers like the Caddy that the file is from, with ignoreTrailingSlash %s';
it.skipIf(!isInstalled('caddy') && !isRequired).each([true, false])(name, async (ignoreTrailingSlash) => {
  const rows = await rowsOf(caddy, SITES);
  const failed = rows.filter(({ status }) => status === 'failed').map(({ source }) => source.trim());
  expect(failed).toEqual(['redir /part* https://new.example/part']);
  const ask = await startOriginal('caddy', SITES.replace('\tredir /part* https://new.example/part\n', ''));
  const options = { ignoreTrailingSlash };
  const found = await differences({ rows, ask, hosts: HOSTS, options, isDocumented });
  expect(found.differing).toEqual([]);
  expect(found.compared).toBeGreaterThan(450);
});
