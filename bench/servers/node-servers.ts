import { DATAPLANE_NODE_OPTIONS } from '../../dataplane/node-options.js';
import { forwardedLocation, ruledLocations } from '../traffic/bench-request.js';
import { CONSTANT_LOCATION } from '../traffic/constant-location.js';
import { createNodeServer } from './node-server.js';

/** The data plane itself. */
export const waymark = createNodeServer({
  name: 'waymark',
  entry: './waymark-server.js',
  options: DATAPLANE_NODE_OPTIONS,
  recordsHits: true,
  rightLocations: ruledLocations,
});

/** The floor: the data plane's HTTP library with one answer for everything. */
export const uwsConstant = createNodeServer({
  name: 'uws',
  entry: './uws-constant-server.js',
  rightLocations: () => [CONSTANT_LOCATION],
});

/**
 * The minimum cost of recorded visits: one answer for everything, after reading every part of the request that a visit
 * with rules needs.
 */
export const uwsReads = createNodeServer({
  name: 'uws-reads',
  entry: './uws-reads-server.js',
  rightLocations: () => [CONSTANT_LOCATION],
});

/** The data plane's HTTP library with a Map from host to destination. */
export const uwsMap = createNodeServer({
  name: 'uws-map',
  entry: './uws-map-server.js',
  rightLocations: (request) => [forwardedLocation(request)],
});

/** Node's own HTTP server with the same Map. */
export const nodeHttp = createNodeServer({
  name: 'node-http',
  entry: './node-http-server.js',
  rightLocations: (request) => [forwardedLocation(request)],
});
