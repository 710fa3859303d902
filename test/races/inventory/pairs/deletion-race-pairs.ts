import type { RacePair, RaceResponse, RaceRound } from '../../race-pair.js';
import { alignments } from '../align-transactions.js';
import type { InventoryWorld, Json } from '../race-test-inventory-data.js';
import { isRaced, nameOf, type Reference, type ReferenceKind, references } from '../references-between-models.js';

/** Ends of test titles by kind of reference. An end completes the sentence "an object is deleted …". */
const titles: Readonly<Record<ReferenceKind, string>> = {
  cascade: 'to which a new object belongs',
  set_null: 'to which a new object refers',
  protect: 'on which a new object depends',
  generic: 'to which a new object refers by type and id',
  many: 'among those to which a new object refers',
  tags: 'that is a tag of a new object',
};

/**
 * Races between a deletion and the creation of an object that refers to the deleted object. The suite has one race for
 * every declared reference.
 */
export const deletionPairs: readonly RacePair<InventoryWorld>[] = Object.entries(titles).map(([kind, title]) => {
  const raced = references.filter((one) => one.kind === kind && isRaced(one));
  let next = -1;
  return {
    slice: 'deletions',
    title: `an object is deleted ${title}`,
    deletes: true,
    async arrange(world, random) {
      // The first round uses a random reference, and each later round the next one, so that the long form tests all of
      // them.
      next = next < 0 ? random.integer(0, raced.length - 1) : (next + 1) % raced.length;
      const reference = raced[next];
      if (reference === undefined) throw new Error(`there is no reference of kind ${kind}`);
      return arrangeDeletion(world, reference);
    },
  };
});

/** Creates the object that a round deletes. Returns the two concurrent writes with the check of their result. */
async function arrangeDeletion(world: InventoryWorld, reference: Reference): Promise<RaceRound> {
  const { model, target } = reference;
  const id = await world.make(target);
  const aligned = await alignedFields(world, reference, id);
  const body: Json = { ...(await world.body(model, reference.field)), ...reference.body(id), ...aligned };
  return {
    writes: [() => world.send('DELETE', world.pathOf(target, id)), () => world.send('POST', world.pathOf(model), body)],
    check: (responses) => checkOutcome(world, reference, id, responses),
  };
}

/** Returns the fields of the new object that must match the referenced object. */
async function alignedFields(world: InventoryWorld, { model, field, target }: Reference, id: number): Promise<Json> {
  const alignment = alignments[`${model.type}.${field}`];
  if (alignment === undefined) return {};
  const { body } = await world.send('GET', world.pathOf(target, id));
  return alignment(Object(body));
}

async function checkOutcome(
  world: InventoryWorld,
  reference: Reference,
  id: number,
  [removed, written]: readonly [RaceResponse, RaceResponse],
): Promise<string[]> {
  const { model, target } = reference;
  const name = nameOf(reference);
  const findings: string[] = [];
  if (![204, 409].includes(removed.status)) findings.push(`${name}: DELETE ${removed.status} ${textOf(removed)}`);
  if (![201, 400].includes(written.status)) findings.push(`${name}: POST ${written.status} ${textOf(written)}`);
  // The creation may be rejected only if the deletion succeeded.
  if (written.status === 400 && removed.status !== 204) findings.push(`${name}: POST 400 ${textOf(written)}`);
  if (written.status === 201) {
    const path = world.pathOf(model, Number(Object(written.body)['id']));
    const { status, body } = await world.send('GET', path);
    const refers = status === 200 && reference.refersTo(Object(body), id);
    if (refers === (removed.status === 204)) findings.push(`${name}: deletion ${removed.status}, reference ${refers}`);
    await world.send('DELETE', path);
  }
  if (removed.status !== 204) await world.send('DELETE', world.pathOf(target, id));
  return findings;
}

function textOf({ body }: RaceResponse): string {
  return JSON.stringify(body).slice(0, 200);
}
