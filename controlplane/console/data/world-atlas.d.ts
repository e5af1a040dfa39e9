/** Borders of countries: Natural Earth 1:110m (public domain), as TopoJSON. */
declare module 'world-atlas/countries-110m.json' {
  const world: {
    readonly transform: {
      readonly scale: readonly [number, number];
      readonly translate: readonly [number, number];
    };
    /** Lines of points. Each point is the difference from the previous one. */
    readonly arcs: readonly (readonly (readonly [number, number])[])[];
    readonly objects: {
      readonly countries: {
        readonly geometries: readonly CountryGeometry[];
      };
    };
  };
  export default world;

  /** Rings of indexes into `arcs`. `~index` is an arc in reverse direction. */
  export type CountryGeometry = {
    /** ISO 3166-1 numeric. Territories without a code have none. */
    readonly id?: string;
    readonly properties: { readonly name: string };
  } & (
    | { readonly type: 'Polygon'; readonly arcs: readonly (readonly number[])[] }
    | { readonly type: 'MultiPolygon'; readonly arcs: readonly (readonly (readonly number[])[])[] }
  );
}
