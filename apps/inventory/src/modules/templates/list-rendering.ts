import { ClientDisconnectedError } from '@switchboard/database';
import { currentDisconnect } from '@switchboard/platform';
import {
  defaultLimits,
  LazyList,
  RelatedList,
  type Rows,
  TemplateError,
  TemplateRendering,
} from '@switchboard/templates';
import type { StoredObjects } from '../../engine/read/stored-objects.js';
import type { ResponseFiles } from '../../engine/responses/response-files.js';
import type { ResponseWriter } from '../../engine/responses/response-writer.js';
import type { StoredResponse } from '../../engine/responses/stored-response.js';
import type { ModelDefinition } from '../../engine/declaration/model.js';
import { environmentOf, pauseAfterMs, type StoredTemplate } from './render-stored.js';
import type { RenderingTurns } from '../../http/rendering-turns.js';
import type { Json } from './related/row-loader.js';
import { RelatedObjects, type RelatedServices } from './related/related-objects.js';

/** Dependencies of {@link renderList}. */
export interface ListRenderingParts {
  readonly responses: ResponseFiles;
  readonly templateLimits: { readonly timeoutMs: number };
  readonly renderingTurns: RenderingTurns;
}

/**
 * Largest list of objects that is in memory as a whole while a template renders it, in objects and in bytes of JSON
 * text.
 */
const maxListInMemory = { objects: 1000, bytes: 8_388_608 };

/** Number of objects for which a list gets the limits of one rendering. */
const objectsOfOneRendering = 50;

/**
 * Number of characters that rendering a list may allocate for each object, in addition to those for a single rendering.
 */
const allocatedByObject = 8192;

/** Objects of a list to render, and what its templates may read in addition. */
export interface RenderedList {
  readonly model: ModelDefinition;
  readonly objects: StoredObjects;
  readonly related: RelatedServices;
}

/**
 * Renders a template with the objects of a list (`queryset`), with pauses. Loops of the template read lists of more
 * than 1,000 objects in parts.
 *
 * @returns the text, or the description of the failure
 * @throws AppError RESPONSE_TOO_LARGE, RESPONSE_NOT_STORED, UNAVAILABLE
 * @throws ClientDisconnectedError
 */
export async function renderList(
  parts: ListRenderingParts,
  template: StoredTemplate,
  list: RenderedList,
): Promise<{ readonly text: string | StoredResponse } | { readonly failure: string }> {
  const writer = parts.responses.begin();
  try {
    const queryset = await querysetOf(list);
    const rendering = new TemplateRendering(
      template.code,
      { ...new RelatedObjects(list.related).models(), queryset },
      {
        environment: environmentOf(template),
        limits: limitsFor(list.objects.count, parts.templateLimits),
        pauseAfterMs,
      },
    );
    await runParts(parts.renderingTurns, rendering, { list, writer });
    return { text: await writer.finish() };
  } catch (error) {
    await writer.discard();
    if (!(error instanceof TemplateError)) throw error;
    return { failure: `${error.name}: ${error.message}` };
  }
}

async function runParts(
  turns: RenderingTurns,
  rendering: TemplateRendering,
  { list, writer }: { readonly list: RenderedList; readonly writer: ResponseWriter },
): Promise<void> {
  let rows: Rows | undefined;
  // The two characters of a line break may be in different parts.
  let cut = '';
  for (let isFirst = true; ; isFirst = false) {
    if (currentDisconnect()?.happened === true) throw new ClientDisconnectedError();
    const given = rows;
    const part = await turns.run(() => rendering.advance(given), { isContinued: !isFirst });
    const text = cut + part.text;
    cut = !part.isDone && text.endsWith('\r') ? '\r' : '';
    await writer.write((cut === '' ? text : text.slice(0, -1)).replaceAll('\r\n', '\n'));
    if (part.isDone) return;
    await part.load?.run();
    rows = part.requested === null ? undefined : await rowsOf(list, part.requested.from);
  }
}

async function querysetOf(list: RenderedList): Promise<LazyList | RelatedList> {
  const { objects, model, related } = list;
  const { count } = objects;
  if (count > maxListInMemory.objects || objects.bytes > maxListInMemory.bytes) {
    const [first] = (await rowsOf(list, 0)).items;
    return new LazyList(count, first);
  }
  const all: Json[] = [];
  while (all.length < count) all.push(...(await objects.read(all.length)).items.map(asJson));
  const rows = new RelatedObjects(related).objectsOf(model, all);
  return new RelatedList({ rows: () => rows });
}

/** Reads a part of a long list. Each part has its own related objects, which are released with it. */
async function rowsOf({ objects, model, related }: RenderedList, from: number): Promise<Rows> {
  const { items, lengths } = await objects.read(from);
  return { items: new RelatedObjects(related).objectsOf(model, items.map(asJson)), lengths };
}

function asJson(item: unknown): Json {
  return { ...Object(item) };
}

/**
 * Returns limits of rendering that grow with the length of the list. Only the time between two pauses stays the same.
 * For a list that is read in parts, time is added when a loop reaches the next objects, so that an endless template
 * stops soon.
 */
function limitsFor(count: number, { timeoutMs }: { readonly timeoutMs: number }) {
  const renderings = Math.max(1, Math.ceil(count / objectsOfOneRendering));
  return {
    timeoutMs: timeoutMs * Math.min(renderings, maxListInMemory.objects / objectsOfOneRendering),
    rowMs: timeoutMs / objectsOfOneRendering,
    maxTimeoutMs: timeoutMs * renderings,
    stretchMs: timeoutMs,
    maxOutputBytes: defaultLimits.maxOutputBytes * renderings,
    maxLoopSteps: defaultLimits.maxLoopSteps * renderings,
    maxAllocated: defaultLimits.maxAllocated + allocatedByObject * count,
  };
}
