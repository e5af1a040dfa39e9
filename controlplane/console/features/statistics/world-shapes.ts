import world, { type CountryGeometry } from 'world-atlas/countries-110m.json';

export const MAP_WIDTH = 1_000;
export const MAP_HEIGHT = 440;
/** Latitudes of the northern and southern edge in degrees. The map omits Antarctica. */
const NORTH = 84;
const ANTARCTICA = '010';

/** A country as an SVG path. */
export interface CountryShape {
  /** ISO 3166-1 alpha-2; undefined for territories without one. */
  readonly code: string | undefined;
  readonly outline: string;
}

type Point = readonly [x: number, y: number];

/** Coefficients of the Equal Earth projection (Šavrič, Patterson and Jenny, 2018). */
const [A1, A2, A3, A4] = [1.340264, -0.081106, 0.000893, 0.003796];
const EDGE = equalEarth(180, 0)[0];
const TOP = equalEarth(0, NORTH)[1];

/** Projects a longitude and latitude in degrees. The projection preserves areas. */
function equalEarth(longitude: number, latitude: number): Point {
  const lambda = (longitude * Math.PI) / 180;
  const theta = Math.asin((Math.sqrt(3) / 2) * Math.sin((latitude * Math.PI) / 180));
  const square = theta * theta;
  const sixth = square ** 3;
  const width = A1 + 3 * A2 * square + sixth * (7 * A3 + 9 * A4 * square);
  const x = (2 * Math.sqrt(3) * lambda * Math.cos(theta)) / (3 * width);
  return [x, theta * (A1 + A2 * square + sixth * (A3 + A4 * square))];
}

/** Returns the position of a longitude and latitude on the map. */
export function placeOf(longitude: number, latitude: number): Point {
  const [x, y] = equalEarth(longitude, latitude);
  const scale = MAP_WIDTH / (2 * EDGE);
  return [MAP_WIDTH / 2 + x * scale, (TOP - y) * scale];
}

/** Returns the shapes of all countries. */
export function countryShapes(): readonly CountryShape[] {
  const arcs = world.arcs.map(degreesOf);
  return world.objects.countries.geometries
    .filter(({ id }) => id !== ANTARCTICA)
    .map((geometry) => ({ code: codeOf(geometry.id), outline: outlineOf(geometry, arcs) }));
}

/** Converts an ISO 3166-1 number into a two-letter code. The Unicode locale data of `Intl` has this mapping. */
function codeOf(id: string | undefined): string | undefined {
  return id === undefined ? undefined : new Intl.Locale(`und-${id}`).region;
}

/** Returns the points of an arc as longitudes and latitudes. */
function degreesOf(arc: readonly Point[]): readonly Point[] {
  const { scale, translate } = world.transform;
  let [x, y] = [0, 0];
  return arc.map(([dx, dy]) => {
    x += dx;
    y += dy;
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
  });
}

function outlineOf(geometry: CountryGeometry, arcs: readonly (readonly Point[])[]): string {
  const polygons = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs;
  return polygons.flatMap((rings) => rings.flatMap((ring) => pathsOf(ringOf(ring, arcs)))).join('');
}

function ringOf(indexes: readonly number[], arcs: readonly (readonly Point[])[]): readonly Point[] {
  return indexes.flatMap((index, place) => {
    const arc = index < 0 ? [...(arcs[~index] ?? [])].reverse() : (arcs[index] ?? []);
    // An arc begins with the last point of the previous arc.
    return place === 0 ? arc : arc.slice(1);
  });
}

/** Returns the path of a ring. Returns two paths if the ring is on both edges of the map, as Russia's is. */
function pathsOf(ring: readonly Point[]): readonly string[] {
  const continuous = unwrapped(ring);
  const isOnMap = (turn: number) => continuous.some(([longitude]) => Math.abs(longitude + turn) < 180);
  return [-360, 0, 360].filter(isOnMap).map((turn) => {
    const points = continuous.map(([longitude, latitude]) => {
      const [x, y] = placeOf(Math.max(-180, Math.min(180, longitude + turn)), latitude);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    return `M${points.join('L')}Z`;
  });
}

/** Lets longitudes exceed 180 degrees, so that neighboring points of a ring have neighboring longitudes. */
function unwrapped(ring: readonly Point[]): readonly Point[] {
  let turn = 0;
  let last: number | undefined;
  return ring.map(([longitude, latitude]) => {
    if (last !== undefined) turn += Math.round((last - (longitude + turn)) / 360) * 360;
    last = longitude + turn;
    return [last, latitude];
  });
}
