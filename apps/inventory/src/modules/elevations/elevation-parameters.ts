import { parseBooleanInput } from '../../engine/field-types/boolean.js';
import { parseIntegerInput } from '../../engine/field-types/number.js';
import {
  type FieldErrorMessages,
  InputProblem,
  createInvalidInputProblem,
} from '../../engine/write/invalid-input-problem.js';
import { inventoryErrors } from '../../errors.js';

/** Face of a rack: front or rear. */
export type RackFace = 'front' | 'rear';

/**
 * Query parameters of a request for a rack elevation, which is the view of one face of a rack
 * (docs/contract/inventory.md 2.2).
 */
export interface RackElevationParameters {
  readonly face: RackFace;
  readonly render: 'json' | 'svg';
  /** Search text of the request. A rack unit is listed if its number or name contains the search text. */
  readonly q: string;
  /** Id of a device to treat as if it were not mounted in the rack; null to treat all devices as mounted. */
  readonly exclude: number | null;
  /**
   * True to show each device in all rack units that it occupies. False to show each device only in its lowest rack
   * unit.
   */
  readonly expandDevices: boolean;
  readonly drawing: RackDrawingParameters;
}

/** Query parameters for the drawing of a rack. The unit of all sizes is pixels. */
interface RackDrawingParameters {
  readonly unitWidth: number;
  readonly unitHeight: number;
  readonly legendWidth: number;
  readonly includeImages: boolean;
  /**
   * Field values by which devices are highlighted in the drawing. A device with at least one of these values is
   * highlighted.
   */
  readonly highlight: readonly HighlightedValue[];
}

/** Name and value of a device field. Devices with this value are highlighted in the drawing. */
export interface HighlightedValue {
  readonly attribute: string;
  readonly value: string;
}

/** Maximum size, in pixels, that a client may request for the width or height of a part of the drawing. */
export const maxDrawingSize = 10_000;

/**
 * Parses the query parameters of a rack elevation.
 *
 * @throws ApplicationError VALIDATION_FAILED with error messages by parameter name
 */
export function parseRackElevationParameters(query: URLSearchParams): RackElevationParameters {
  const reader = new RackElevationQueryParser(query);
  const parameters: RackElevationParameters = {
    face: reader.parseLastValue<RackFace>('face', 'front', parseChoiceParameter(['front', 'rear'])),
    render: reader.parseLastValue<'json' | 'svg'>('render', 'json', parseChoiceParameter(['json', 'svg'])),
    q: reader.parseLastValue('q', '', (text) => text),
    exclude: reader.parseLastValue<number | null>('exclude', null, (text) =>
      parseIntegerInput(text, { big: false }, false),
    ),
    expandDevices: reader.parseLastValue('expand_devices', true, parseBooleanInput),
    drawing: {
      unitWidth: reader.parsePixelSize('unit_width', 220),
      unitHeight: reader.parsePixelSize('unit_height', 22),
      legendWidth: reader.parsePixelSize('legend_width', 30),
      includeImages: reader.parseLastValue('include_images', true, parseBooleanInput),
      highlight: reader.parseAllValues('highlight', parseHighlightParameter),
    },
  };
  // The reference API accepts this parameter and ignores it.
  reader.parsePixelSize('margin_width', 15);
  reader.rejectInvalidParameters();
  return parameters;
}

/**
 * Parses the query parameters of a rack elevation, and collects their error messages. For an empty parameter, uses the
 * default value.
 */
class RackElevationQueryParser {
  readonly #problems: Record<string, FieldErrorMessages> = {};

  constructor(private readonly query: URLSearchParams) {}

  /**
   * Returns the parsed value of a query parameter, or a default value. If the request repeats the parameter, only the
   * last value is used.
   */
  parseLastValue<Value>(name: string, otherwise: Value, parse: (text: string) => Value): Value {
    const given = this.query.getAll(name).at(-1) ?? '';
    return given === '' ? otherwise : this.#collectProblems(name, otherwise, () => parse(given));
  }

  /** Returns all parsed values of a query parameter that the request may repeat. */
  parseAllValues<Value>(name: string, parse: (text: string) => Value): readonly Value[] {
    const given = this.query.getAll(name).filter((text) => text !== '');
    return this.#collectProblems<readonly Value[]>(name, [], () => given.map(parse));
  }

  #collectProblems<Value>(name: string, otherwise: Value, parse: () => Value): Value {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof InputProblem)) throw error;
      this.#problems[name] = error.messages;
      return otherwise;
    }
  }

  /**
   * Returns the size in pixels that a query parameter contains. 0 stands for the default size, as in the reference API.
   */
  parsePixelSize(name: string, otherwise: number): number {
    const bounds = { min: 0, max: maxDrawingSize };
    return this.parseLastValue<number>(name, otherwise, (text) => parseIntegerInput(text, bounds, false) || otherwise);
  }

  rejectInvalidParameters(): void {
    if (Object.keys(this.#problems).length === 0) return;
    throw inventoryErrors.create('VALIDATION_FAILED', { fields: { body: this.#problems } });
  }
}

function parseChoiceParameter<Choice extends string>(choices: readonly Choice[]): (text: string) => Choice {
  return (text) => {
    const found = choices.find((choice) => choice === text);
    if (found === undefined) throw createInvalidInputProblem(`"${text}" is not a valid choice.`);
    return found;
  };
}

function parseHighlightParameter(text: string): HighlightedValue {
  const [attribute = '', ...value] = text.split(':');
  if (value.length === 0) throw createInvalidInputProblem('Enter an attribute and a value, separated by a colon.');
  return { attribute, value: value.join(':') };
}
