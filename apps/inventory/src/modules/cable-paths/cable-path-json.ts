import type { PathObjects } from './read-path-objects.js';
import type { CablePathForApi } from './stored-path-reader.js';

type PathStep = CablePathForApi['steps'][number];

/**
 * Returns the JSON text of a cable trace. The trace is a list of hops, each of which has near ends, a link such as a
 * cable, and far ends.
 */
export function createTraceJson(paths: readonly CablePathForApi[], objects: PathObjects): string {
  const hops = paths
    .flatMap(({ steps }) => divideIntoHops(steps))
    .map(([near, links, far]) => {
      const [link] = links;
      const linkText = link === undefined ? null : getObjectJson(link, objects);
      return `[${joinJsonList(near, objects)}, ${linkText ?? '[]'}, ${joinJsonList(far, objects)}]`;
    });
  return `[${hops.join(', ')}]`;
}

/**
 * Returns the steps of a cable path, grouped into hops of near ends, link and far ends. If the path ends at a port
 * without a cable, the last hop has neither link nor far ends. If the path ends at a provider network or site of a
 * circuit, the last hop has no link.
 */
function divideIntoHops(steps: readonly PathStep[]): (readonly [PathStep, PathStep, PathStep])[] {
  const hops: (readonly [PathStep, PathStep, PathStep])[] = [];
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
export function createPathListJson(paths: readonly CablePathForApi[], objects: PathObjects): string {
  const texts = paths.map(({ id, steps, isActive, isComplete, isSplit }) => {
    // As in the reference API, a path is shown without steps if nothing is connected to its last cable. A path that is
    // split at its last cables, whose other ends are of different models, keeps its steps.
    const endsAtLink =
      steps.length % 3 === 2 && steps.at(-1)?.every(({ type }) => isCableOrWirelessLink(type)) === true;
    const shown = endsAtLink && !isSplit ? [] : steps;
    const path = shown.map((step) => joinJsonList(step, objects)).join(', ');
    return `{"id": ${id}, "path": [${path}], "is_active": ${isActive}, "is_complete": ${isComplete}, "is_split": ${isSplit}}`;
  });
  return `[${texts.join(', ')}]`;
}

function joinJsonList(step: PathStep, objects: PathObjects): string {
  return `[${step.flatMap((object) => getObjectJson(object, objects) ?? []).join(', ')}]`;
}

function getObjectJson({ type, id }: PathStep[number], objects: PathObjects): string | null {
  return objects.get(`${type}:${id}`) ?? null;
}
