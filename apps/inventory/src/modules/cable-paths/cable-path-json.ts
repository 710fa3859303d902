import type { CablePathObjects } from './read-objects-of-cable-paths.js';
import type { CablePathForApi } from './stored-cable-path-reader.js';

type CablePathStep = CablePathForApi['steps'][number];

/**
 * Returns the JSON text of a cable trace. The trace is a list of hops, each of which has near ends, a link such as a
 * cable, and far ends.
 */
export function createCableTraceJson(paths: readonly CablePathForApi[], objects: CablePathObjects): string {
  const hops = paths
    .flatMap(({ steps }) => divideCablePathIntoHops(steps))
    .map(([near, links, far]) => {
      const [link] = links;
      const linkText = link === undefined ? null : getPathObjectJson(link, objects);
      return `[${joinStepObjectsJson(near, objects)}, ${linkText ?? '[]'}, ${joinStepObjectsJson(far, objects)}]`;
    });
  return `[${hops.join(', ')}]`;
}

/**
 * Returns the steps of a cable path, grouped into hops of near ends, link and far ends. If the path ends at a port
 * without a cable, the last hop has neither link nor far ends. If the path ends at a provider network or site of a
 * circuit, the last hop has no link.
 */
function divideCablePathIntoHops(
  steps: readonly CablePathStep[],
): (readonly [CablePathStep, CablePathStep, CablePathStep])[] {
  const hops: (readonly [CablePathStep, CablePathStep, CablePathStep])[] = [];
  for (let from = 0; from < steps.length; from += 3) {
    const [near = [], second = [], third] = steps.slice(from, from + 3);
    const endsAtPlace = third === undefined && second.some(({ type }) => !isCableOrWirelessLink(type));
    hops.push(endsAtPlace ? [near, [], second] : [near, second, third ?? []]);
  }
  return hops;
}

function isCableOrWirelessLink(type: string): boolean {
  return type === 'dcim.cable' || type === 'wireless.wirelesslink';
}

/** Returns the JSON text of a list of cable paths. */
export function createCablePathListJson(paths: readonly CablePathForApi[], objects: CablePathObjects): string {
  const texts = paths.map(({ id, steps, isActive, isComplete, isSplit }) => {
    // As in the reference API, a path is shown without steps if nothing is connected to its last cable. A path that is
    // split at its last cables, whose other ends are of different models, keeps its steps.
    const endsAtLink =
      steps.length % 3 === 2 && steps.at(-1)?.every(({ type }) => isCableOrWirelessLink(type)) === true;
    const shown = endsAtLink && !isSplit ? [] : steps;
    const path = shown.map((step) => joinStepObjectsJson(step, objects)).join(', ');
    return `{"id": ${id}, "path": [${path}], "is_active": ${isActive}, "is_complete": ${isComplete}, "is_split": ${isSplit}}`;
  });
  return `[${texts.join(', ')}]`;
}

function joinStepObjectsJson(step: CablePathStep, objects: CablePathObjects): string {
  return `[${step.flatMap((object) => getPathObjectJson(object, objects) ?? []).join(', ')}]`;
}

function getPathObjectJson({ type, id }: CablePathStep[number], objects: CablePathObjects): string | null {
  return objects.get(`${type}:${id}`) ?? null;
}
