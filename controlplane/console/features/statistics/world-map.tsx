import { useState } from 'preact/hooks';
import type { Statistics } from '../../data/statistics';
import { texts } from '../../texts/texts';
import { countryName } from './ranked-rows';
import { countryShapes, MAP_HEIGHT, MAP_WIDTH, placeOf } from './world-shapes';

const { map: words } = texts.statistics;
/** Number of color steps. Step 0 is a country without visits. */
const STEPS = 4;
const DOT_RADIUS = 5;
const SHAPES = countryShapes();
const SHOWN = new Set(SHAPES.map(({ code }) => code));

type Location = Statistics['data']['geo']['locations'][number];

/**
 * Shows visits by country on a map. The list of countries has the same numbers and the same filter, and works by
 * keyboard.
 *
 * @param onChoose receives the code of the clicked country
 */
export default function WorldMap({
  locations,
  onChoose,
}: {
  readonly locations: readonly Location[];
  readonly onChoose: (code: string) => void;
}) {
  const [hovered, setHovered] = useState<string>();
  const byCode = new Map(locations.map((location) => [location.code ?? '', location]));
  const top = Math.max(1, ...locations.map(({ hits }) => hits));
  const stepOf = (code = '') => {
    const hits = byCode.get(code)?.hits ?? 0;
    // Few countries have most visits. A square root keeps the others visible.
    return hits === 0 ? 0 : Math.max(1, Math.ceil(Math.sqrt(hits / top) * STEPS));
  };
  const pointer = (code: string | undefined) => ({
    onPointerEnter: () => setHovered(code),
    onClick: () => code !== undefined && byCode.has(code) && onChoose(code),
  });
  // Show countries that are too small for this map as dots.
  const dots = locations.filter(({ code, coordinates }) => coordinates && !SHOWN.has(code ?? ''));
  return (
    <div class="map">
      <svg
        viewBox={`0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`}
        role="img"
        aria-label={words.label(locations.length)}
        onPointerLeave={() => setHovered(undefined)}
      >
        {SHAPES.map(({ code, outline }, index) => (
          <path key={code ?? index} d={outline} class={`map-${stepOf(code)}`} {...pointer(code)} />
        ))}
        {dots.map(({ code, coordinates }) => {
          const [x, y] = placeOf(coordinates?.longitude ?? 0, coordinates?.latitude ?? 0);
          const shown = code ?? undefined;
          return (
            <circle
              key={code}
              cx={x}
              cy={y}
              r={DOT_RADIUS}
              class={`map-${stepOf(shown)}`}
              {...pointer(shown)}
            />
          );
        })}
      </svg>
      <p class="quiet" aria-hidden="true">
        {hovered === undefined
          ? words.hint
          : words.value(countryName(hovered), texts.shell.number(byCode.get(hovered)?.hits ?? 0))}
      </p>
    </div>
  );
}
